// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// One account and what can be changed in it.
struct AccountView: View {
    let screen: AccountScreen
    @State private var passwordScreen: ChangePasswordScreen?

    var body: some View {
        List {
            if let picture = screen.picture {
                ThumbnailView(bytes: picture).accessibilityLabel(screen.pictureName)
            }
            Text(screen.email)
            Text(screen.serverLine)
            ForEach(screen.sections, id: \.self) { section in row(of: section) }
            if let passwordScreen { ChangePasswordView(screen: passwordScreen) }
        }
        .navigationTitle(screen.name)
    }

    @ViewBuilder private func row(of section: AccountScreen.Section) -> some View {
        switch section {
        case .sessions:
            ScreenLink(title: section.title) {
                screen.sessions()
            } content: {
                SessionsView(screen: $0)
            }
        case .keys:
            ScreenLink(title: section.title) {
                screen.keys()
            } content: {
                KeysView(screen: $0)
            }
        case .endpoints:
            ScreenLink(title: section.title) {
                screen.endpoints()
            } content: {
                EndpointsView(screen: $0)
            }
        case .connection:
            ScreenLink(title: section.title) {
                screen.connection()
            } content: {
                ConnectionView(screen: $0)
            }
        case .pin:
            ScreenLink(title: section.title) {
                screen.pin()
            } content: {
                ServerPINView(screen: $0)
            }
        case .password:
            Button(section.title) { passwordScreen = screen.password { _ in passwordScreen = nil } }
        }
    }
}
