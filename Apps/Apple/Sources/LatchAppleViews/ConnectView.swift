// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The first step of a sign-in: the address of the server (IM-2).
struct ConnectView: View {
    @Bindable var screen: ConnectScreen
    let flow: SignInFlow

    var body: some View {
        Form {
            TextField(ConnectScreen.Text.address, text: $screen.address, prompt: Text(ConnectScreen.Text.example))
                .autocorrectionDisabled()
                .onSubmit { screen.next() }
            ErrorText(error: screen.error)
            if screen.state == .connecting { ProgressView(ConnectScreen.Text.connecting) }
            ScreenLink(title: ConnectionScreen.Text.title) {
                screen.connectionScreen()
            } content: {
                ConnectionView(screen: $0)
            }
            Button(ConnectScreen.Text.next) { screen.next() }.disabled(!screen.canContinue)
            ForEach(screen.hostedServers, id: \.self) { server in
                Button(server.name) { screen.choose(server) }.disabled(screen.state == .connecting)
            }
            if flow.canLeave || screen.state == .connecting {
                Button(SignInScreen.Text.back, role: .cancel) { flow.back() }
            }
        }
        .navigationTitle(ConnectScreen.Text.title)
    }
}
