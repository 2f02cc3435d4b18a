import LatchScreens
import Widgets

/// The log of recent operations with servers.
@MainActor
final class LogPage {
    private let screen: LogScreen
    private let list: RowList<LogScreen.Row>

    /// Makes the page.
    static func page(_ screen: LogScreen) -> Page {
        let owner = LogPage(screen)
        let copy = Button(icon: "edit-copy-symbolic", name: LogScreen.Text.copy) { [weak owner] in
            owner?.list.content.widget.copyToClipboard(screen.text)
        }
        var page = Page(
            LogScreen.Text.title, owner: owner,
            Page.form(
                width: 800, isCentered: false, owner.list.content,
                Button.pill(LogScreen.Text.clear) { screen.clear() }))
        page.headerItems = [copy]
        return page
    }

    private init(_ screen: LogScreen) {
        self.screen = screen
        list = RowList(LogScreen.Text.title, empty: LogScreen.Text.empty, retry: { screen.clear() }) { entry in
            let row = ActionRow(entry.text, subtitle: "\(entry.server)\n\(DateText.of(entry.time)), \(entry.program)")
            return entry.isFailure ? row.prefix(Icon("dialog-warning-symbolic")) : row
        }
        observing(self) { $0.list.show($0.screen.state) }
        list.content.whileShown { await screen.run() }
    }
}
