import LatchScreens
import Widgets

/// The person's sessions on the server.
@MainActor
final class SessionsPage {
    private let screen: SessionsScreen
    private let list: RowList<SessionsScreen.Row>
    private let endOthers: Button
    private let dialog = ConfirmationDialog()

    /// Makes the page.
    static func page(_ screen: SessionsScreen) -> Page {
        let owner = SessionsPage(screen)
        return Page(
            SessionsScreen.Text.title, owner: owner,
            Page.form(width: 600, isCentered: false, owner.list.content, owner.endOthers))
    }

    private init(_ screen: SessionsScreen) {
        self.screen = screen
        list = RowList(SessionsScreen.Text.title, retry: { screen.load() }) { session in
            let row = ActionRow(session.device, subtitle: DateText.lastUsed(session.lastUsed))
            guard !session.isCurrent else {
                return row.suffix(Label.note(SessionsScreen.Text.current))
            }
            let end = Button(SessionsScreen.Text.end) { screen.askToEnd(session.id) }
            return row.suffix(end.described(session.device))
        }
        endOthers = .pill(SessionsScreen.Text.endOthers) { screen.askToEndOthers() }.styled("destructive-action")
        observing(self) { $0.draw() }
        list.content.whileShown { screen.load() }
    }

    private func draw() {
        list.show(screen.state, isBusy: screen.isBusy)
        endOthers.isVisible = screen.canEndOthers
        endOthers.isSensitive = !screen.isBusy
        dialog.show(screen.question, above: list.content) { [screen] in
            screen.confirm()
        } cancel: { [screen] in
            screen.cancel()
        }
    }
}
