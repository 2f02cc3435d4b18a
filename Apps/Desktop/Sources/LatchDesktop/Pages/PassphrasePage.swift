import LatchScreens
import Widgets

/// Asks for the passphrase of the sealed file.
@MainActor
final class PassphrasePage {
    private let screen: PassphraseScreen
    private let passphrase = TextRow.secret(PassphraseScreen.Text.passphrase)
    private let open: Button

    /// Makes the page.
    static func page(_ screen: PassphraseScreen) -> Page {
        let owner = PassphrasePage(screen)
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                Label.heading(PassphraseScreen.Text.title), Label(screen.reason), Group(nil, [owner.passphrase]),
                owner.open))
        page.focus = owner.passphrase
        return page
    }

    private init(_ screen: PassphraseScreen) {
        self.screen = screen
        open = .suggested(PassphraseScreen.Text.open) { screen.open() }
        passphrase.onEdit { screen.passphrase = $0 }.onReturn { screen.open() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        passphrase.text = screen.passphrase
        open.isSensitive = screen.canOpen
    }
}
