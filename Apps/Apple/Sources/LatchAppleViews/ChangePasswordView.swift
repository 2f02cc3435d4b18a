// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// Changes the password (IM-12).
struct ChangePasswordView: View {
    @Bindable var screen: ChangePasswordScreen

    var body: some View {
        Form {
            SecureField(ChangePasswordScreen.Text.current, text: $screen.current)
            SecureField(ChangePasswordScreen.Text.new, text: $screen.new)
            SecureField(ChangePasswordScreen.Text.again, text: $screen.again).onSubmit { screen.change() }
            if let rule = screen.rule { Text(rule) }
            ErrorText(error: screen.error)
            if screen.state == .changing { ProgressView() }
            Button(ChangePasswordScreen.Text.change) { screen.change() }.disabled(!screen.canChange)
            if !screen.isForced { Button(SignInScreen.Text.back, role: .cancel) { screen.cancel() } }
        }
        .navigationTitle(ChangePasswordScreen.Text.title)
    }
}
