import LatchScreens
import Widgets

/// Shows the question of a screen as a dialog, once for each question.
@MainActor
final class ConfirmationDialog {
    private var isOpen = false

    /// Shows a question, unless one is shown already. Nil shows none.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - element: An element of the page that asks.
    ///   - confirm: Called when the person agrees.
    ///   - cancel: Called when the person does not, or leaves the page.
    func show(
        _ question: Confirmation?, above element: any Element, confirm: @escaping @MainActor () -> Void,
        cancel: @escaping @MainActor () -> Void
    ) {
        guard let question, !isOpen else { return }
        isOpen = true
        Question.ask(
            question.title, question.text, action: question.action, cancel: Confirmation.cancel, isDestructive: true,
            above: element
        ) { [weak self] agrees in
            self?.isOpen = false
            if agrees { confirm() } else { cancel() }
        }
    }
}
