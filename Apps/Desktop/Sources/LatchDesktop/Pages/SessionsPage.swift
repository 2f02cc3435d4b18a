import LatchScreens
import Widgets

/// The person's sessions on the server.
@MainActor
final class SessionsPage {
    private let screen: SessionsScreen
    private let list: RowList<SessionsScreen.Row>

    /// Makes the page.
    static func page(_ screen: SessionsScreen) -> Page {
        let owner = SessionsPage(screen)
        return Page(
            SessionsScreen.Text.title, owner: owner, Page.form(width: 600, isCentered: false, owner.list.content))
    }

    private init(_ screen: SessionsScreen) {
        self.screen = screen
        list = RowList(SessionsScreen.Text.title) { session in
            let row = ActionRow(session.device, subtitle: DateText.lastUsed(session.lastUsed))
            guard !session.isCurrent else {
                return row.suffix(Label.note(SessionsScreen.Text.current))
            }
            let end = Button(SessionsScreen.Text.end) { screen.end(session.id) }
            return row.suffix(end.described(session.device))
        }
        observing(self) { $0.list.show($0.screen.state) }
    }
}
