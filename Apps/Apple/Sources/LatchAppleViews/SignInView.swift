// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The second step of a sign-in: what the server offers (IM-2, OX-8).
struct SignInView: View {
    @Bindable var screen: SignInScreen
    let flow: SignInFlow

    var body: some View {
        Form {
            if let reason = screen.reason { Text(reason) }
            ForEach(screen.warnings, id: \.self) { Text($0) }
            if screen.hasPassword { password }
            if screen.needsClientID { TextField(SignInScreen.Text.clientID, text: $screen.clientID) }
            ForEach(screen.providers, id: \.id) { provider in
                Button(provider.title) { screen.useBrowser(provider) }
            }
            if screen.offersDevice { Button(SignInScreen.Text.useDevice) { screen.useDevice() } }
            if screen.hasKey {
                SecureField(SignInScreen.Text.key, text: $screen.key).onSubmit { screen.useKey() }
                Button(SignInScreen.Text.useKey) { screen.useKey() }.disabled(!screen.canUseKey)
            }
            ErrorText(error: screen.error)
            if screen.state == .signingIn { ProgressView(SignInScreen.Text.signingIn) }
            Button(SignInScreen.Text.back, role: .cancel) { flow.back() }
        }
        .navigationTitle(screen.host)
    }

    @ViewBuilder private var password: some View {
        TextField(SignInScreen.Text.email, text: $screen.email, prompt: Text(SignInScreen.Text.emailExample))
            .autocorrectionDisabled()
        SecureField(SignInScreen.Text.password, text: $screen.password).onSubmit { screen.login() }
        Button(SignInScreen.Text.login) { screen.login() }.disabled(!screen.canLogin)
        if screen.canRegister {
            Button(SignInScreen.Text.register) { screen.register() }.disabled(!screen.canLogin)
        }
    }
}
