// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The accounts: switching, adding, signing out (RM-2).
struct AccountsView: View {
    let screen: AccountsScreen

    var body: some View {
        List {
            ForEach(screen.rows) { row in
                Section(row.name) {
                    Text(row.email)
                    LabeledContent(row.server, value: row.status)
                    if row.isActive {
                        Text(AccountsScreen.Text.active)
                    } else {
                        Button(AccountsScreen.Text.use) { screen.use(row.id) }
                    }
                    Button(AccountsScreen.Text.signOut, role: .destructive) { screen.askToSignOut(of: row.id) }
                }
            }
            ForEach(screen.warnings, id: \.self) { Text($0) }
            ErrorText(error: screen.error)
            commands
        }
        .navigationTitle(AccountsScreen.Text.title)
    }

    @ViewBuilder private var commands: some View {
        switch screen.state {
        case .list:
            Button(AccountsScreen.Text.add) { screen.add() }
            Button(AccountsScreen.Text.signOutOfAll, role: .destructive) { screen.askToSignOutOfAll() }
        case .confirming:
            ConfirmationSection(question: screen.question) {
                screen.confirm()
            } cancel: {
                screen.cancel()
            }
        case .signingOut: ProgressView()
        }
    }
}
