// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// Asks whether to trust a certificate.
struct TrustView: View {
    let screen: TrustScreen

    var body: some View {
        Form {
            ErrorText(error: screen.error)
            Section(screen.address.url) {
                ForEach(screen.facts, id: \.name) { fact in
                    LabeledContent(fact.name, value: fact.value)
                }
            }
            Text(TrustScreen.Text.advice)
            Button(TrustScreen.Text.trust, role: .destructive) { screen.trust() }
            Button(TrustScreen.Text.cancel, role: .cancel) { screen.cancel() }
        }
        .navigationTitle(TrustScreen.Text.title)
    }
}
