// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchScreens
import SwiftUI

/// The log of operations with servers.
struct LogView: View {
    let screen: LogScreen

    var body: some View {
        List {
            if case .loaded(let rows, _) = screen.state, rows.isEmpty { Text(LogScreen.Text.empty) }
            ForEach(Array(screen.state.shownRows.enumerated()), id: \.offset) { _, row in
                LabeledContent(row.server, value: row.time.formatted())
                LabeledContent(row.program, value: row.text)
            }
            if let note = screen.state.note { Text(note) }
            ErrorText(error: screen.state.error)
            ShareLink(LogScreen.Text.copy, item: screen.text)
            Button(LogScreen.Text.clear, role: .destructive) { screen.clear() }
        }
        .navigationTitle(LogScreen.Text.title)
        .task { @MainActor in await screen.run() }
    }
}
