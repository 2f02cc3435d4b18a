// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// A question of a screen, with its two buttons. Empty without a question.
struct ConfirmationSection: View {
    let question: Confirmation?
    let confirm: @MainActor () -> Void
    let cancel: @MainActor () -> Void

    var body: some View {
        if let question {
            Section(question.title) {
                Text(question.text)
                Button(question.action, role: .destructive) { confirm() }
                Button(Confirmation.cancel, role: .cancel) { cancel() }
            }
        }
    }
}
