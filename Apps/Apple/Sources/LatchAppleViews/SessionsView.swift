// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchScreens
import SwiftUI

/// The sessions of an account on its server.
struct SessionsView: View {
    let screen: SessionsScreen

    var body: some View {
        List {
            ForEach(screen.state.shownRows) { row in
                Section(row.device) {
                    if let used = row.lastUsed { Text(used.formatted()) }
                    if row.isCurrent {
                        Text(SessionsScreen.Text.current)
                    } else {
                        Button(SessionsScreen.Text.end, role: .destructive) { screen.askToEnd(row.id) }
                    }
                }
            }
            if screen.canEndOthers {
                Button(SessionsScreen.Text.endOthers, role: .destructive) { screen.askToEndOthers() }
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
        .navigationTitle(SessionsScreen.Text.title)
        .task { @MainActor in screen.load() }
    }
}
