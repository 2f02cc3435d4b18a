// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchScreens
import SwiftUI

/// The API keys of an account on its server (RM-8).
struct KeysView: View {
    let screen: KeysScreen

    var body: some View {
        List {
            ForEach(screen.state.shownRows) { row in
                Section(row.name) {
                    Text(row.scopes)
                    if let used = row.lastUsed { Text(used.formatted()) }
                    if row.isCurrent {
                        LabeledContent(KeysScreen.Text.current) {
                            Button(KeysScreen.Text.rotate) { screen.askToRotate() }
                        }
                    }
                    Button(KeysScreen.Text.revoke, role: .destructive) { screen.askToRevoke(row.id) }
                }
            }
            ConfirmationSection(question: screen.question) {
                screen.confirm()
            } cancel: {
                screen.cancel()
            }
            if screen.state == .loading { ProgressView() }
            if let note = screen.state.note { Text(note) }
            ErrorText(error: screen.state.error)
            if screen.state.hasFailed { Button(AppScreen.Text.retry) { screen.load() } }
        }
        .navigationTitle(KeysScreen.Text.title)
        .task { @MainActor in screen.load() }
    }
}
