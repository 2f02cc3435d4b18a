import LatchScreens
import Widgets

/// The person's API keys on the server.
@MainActor
final class KeysPage {
    private let screen: KeysScreen
    private let list: RowList<KeysScreen.Row>
    private let rotate: Button

    /// Makes the page.
    static func page(_ screen: KeysScreen) -> Page {
        let owner = KeysPage(screen)
        return Page(
            KeysScreen.Text.title, owner: owner,
            Page.form(width: 600, isCentered: false, owner.list.content, owner.rotate))
    }

    private init(_ screen: KeysScreen) {
        self.screen = screen
        rotate = .pill(KeysScreen.Text.rotate) { screen.rotate() }
        list = RowList(KeysScreen.Text.title) { key in
            let lines = [key.scopes, DateText.lastUsed(key.lastUsed), key.isCurrent ? KeysScreen.Text.current : ""]
            let row = ActionRow(key.name, subtitle: lines.filter { !$0.isEmpty }.joined(separator: "\n"))
            let revoke = Button(KeysScreen.Text.revoke) { screen.revoke(key.id) }
            return row.suffix(revoke.styled("destructive-action").described(key.name))
        }
        observing(self) { page in
            page.list.show(page.screen.state)
            page.rotate.isVisible = page.screen.state.rows.contains(where: \.isCurrent)
        }
    }
}
