// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The person's PIN on the server.
struct ServerPINView: View {
    @Bindable var screen: ServerPINScreen

    var body: some View {
        Form {
            Text(screen.advice)
            if screen.hasPIN {
                SecureField(ServerPINScreen.Text.current, text: $screen.current)
                SecureField(ServerPINScreen.Text.password, text: $screen.password)
            }
            if screen.isKnown {
                SecureField(ServerPINScreen.Text.new, text: $screen.new)
                SecureField(ServerPINScreen.Text.again, text: $screen.again).onSubmit { screen.save() }
                Button(screen.hasPIN ? ServerPINScreen.Text.change : ServerPINScreen.Text.set) { screen.save() }
            }
            ErrorText(error: screen.error)
            if screen.hasFailed { Button(AppScreen.Text.retry) { screen.load() } }
            if screen.isUnlocked { Button(ServerPINScreen.Text.lock) { screen.lock() } }
            if screen.hasPIN { Button(ServerPINScreen.Text.remove, role: .destructive) { screen.remove() } }
        }
        .navigationTitle(ServerPINScreen.Text.title)
    }
}
