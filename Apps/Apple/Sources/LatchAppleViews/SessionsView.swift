// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchScreens
import SwiftUI

/// The sessions of an account on its server.
struct SessionsView: View {
    @State var screen: SessionsScreen

    var body: some View {
        List {
            ForEach(screen.state.rows) { row in
                Section(row.device) {
                    if let used = row.lastUsed { Text(used.formatted()) }
                    if row.isCurrent {
                        Text(SessionsScreen.Text.current)
                    } else {
                        Button(SessionsScreen.Text.end, role: .destructive) { screen.end(row.id) }
                    }
                }
            }
            if screen.state == .loading { ProgressView() }
            ErrorText(error: screen.state.error)
        }
        .navigationTitle(SessionsScreen.Text.title)
        .task { @MainActor in screen.load() }
    }
}
