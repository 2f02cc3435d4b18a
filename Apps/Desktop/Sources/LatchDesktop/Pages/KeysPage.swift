import LatchScreens
import Widgets

/// The person's API keys on the server.
@MainActor
final class KeysPage {
    private let screen: KeysScreen
    private let list: RowList<KeysScreen.Row>
    private let rotate: Button
    private let dialog = ConfirmationDialog()

    /// Makes the page.
    static func page(_ screen: KeysScreen) -> Page {
        let owner = KeysPage(screen)
        return Page(
            KeysScreen.Text.title, owner: owner,
            Page.form(width: 600, isCentered: false, owner.list.content, owner.rotate))
    }

    private init(_ screen: KeysScreen) {
        self.screen = screen
        rotate = .pill(KeysScreen.Text.rotate) { screen.askToRotate() }
        list = RowList(KeysScreen.Text.title, retry: { screen.load() }) { key in
            let lines = [key.scopes, DateText.lastUsed(key.lastUsed), key.isCurrent ? KeysScreen.Text.current : ""]
            let row = ActionRow(key.name, subtitle: lines.filter { !$0.isEmpty }.joined(separator: "\n"))
            let revoke = Button(KeysScreen.Text.revoke) { screen.askToRevoke(key.id) }
            return row.suffix(revoke.styled("destructive-action").described(key.name))
        }
        observing(self) { $0.draw() }
        list.content.whileShown { screen.load() }
    }

    private func draw() {
        list.show(screen.state, isBusy: screen.isBusy)
        rotate.isVisible = screen.canRotate
        rotate.isSensitive = !screen.isBusy
        dialog.show(screen.question, above: list.content) { [screen] in
            screen.confirm()
        } cancel: { [screen] in
            screen.cancel()
        }
    }
}
