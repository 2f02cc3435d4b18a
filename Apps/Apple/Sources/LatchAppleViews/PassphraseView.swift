// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// Opens the sealed file of the secrets.
struct PassphraseView: View {
    @Bindable var screen: PassphraseScreen

    var body: some View {
        Form {
            Text(screen.reason)
            SecureField(PassphraseScreen.Text.passphrase, text: $screen.passphrase).onSubmit { screen.open() }
            Button(PassphraseScreen.Text.open) { screen.open() }.disabled(!screen.canOpen)
        }
        .navigationTitle(PassphraseScreen.Text.title)
    }
}
