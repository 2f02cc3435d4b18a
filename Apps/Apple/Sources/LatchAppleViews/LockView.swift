// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// Unlocks the device.
struct LockView: View {
    @Bindable var screen: LockScreen

    var body: some View {
        Form {
            switch screen.state {
            case .locked, .unlocked: question
            case .removing: ProgressView()
            case .unlocking(let method):
                ProgressView(method == .pin ? LockScreen.Text.checking : LockScreen.Text.systemAsks)
                Button(LockScreen.Text.stop) { screen.cancel() }
            case .forgetting:
                ConfirmationSection(question: screen.question) {
                    screen.forget()
                } cancel: {
                    screen.cancel()
                }
            }
        }
        .navigationTitle(LockScreen.Text.title)
    }

    @ViewBuilder private var question: some View {
        if screen.hasPIN {
            SecureField(LockScreen.Text.pin, text: $screen.pin).onSubmit { screen.unlock() }
            Button(LockScreen.Text.unlock) { screen.unlock() }.disabled(!screen.canUnlock)
        }
        if screen.hasSystemAuthentication {
            Button(LockScreen.Text.useSystem) { screen.unlockWithSystem() }
        }
        ErrorText(error: screen.error)
        if let left = screen.triesLeft { Text(left) }
        Button(LockScreen.Text.forgot) { screen.askToForget() }
    }
}
