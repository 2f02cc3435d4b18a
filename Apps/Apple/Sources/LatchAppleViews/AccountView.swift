// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// One account and what can be changed in it.
struct AccountView: View {
    @State var screen: AccountScreen
    @State private var passwordScreen: ChangePasswordScreen?

    var body: some View {
        List {
            Text(screen.email)
            Text(screen.serverLine)
            ForEach(screen.sections, id: \.self) { section in row(of: section) }
            if let passwordScreen { ChangePasswordView(screen: passwordScreen) }
        }
        .navigationTitle(screen.name)
    }

    @ViewBuilder private func row(of section: AccountScreen.Section) -> some View {
        switch section {
        case .sessions: NavigationLink(section.title) { SessionsView(screen: screen.sessions()) }
        case .keys: NavigationLink(section.title) { KeysView(screen: screen.keys()) }
        case .endpoints: NavigationLink(section.title) { EndpointsView(screen: screen.endpoints()) }
        case .connection: NavigationLink(section.title) { ConnectionView(screen: screen.connection()) }
        case .pin: NavigationLink(section.title) { ServerPINView(screen: screen.pin()) }
        case .password:
            Button(section.title) { passwordScreen = screen.password { _ in passwordScreen = nil } }
        }
    }
}
