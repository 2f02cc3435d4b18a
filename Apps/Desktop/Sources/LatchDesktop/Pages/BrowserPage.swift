import CAdwaita
import LatchScreens
import Widgets

/// Waits for a sign-in in the browser of this or another device.
@MainActor
final class BrowserPage {
    private let screen: BrowserScreen
    private let spinner = Spinner(BrowserScreen.Text.title)
    private let error = ErrorLabel()
    private let copy: Button
    private let again: Button
    private let code = Picture(BrowserScreen.Text.code)
    private let link = TextRow(BrowserScreen.Text.link, purpose: GTK_INPUT_PURPOSE_URL)
    private let linkError = ErrorLabel()
    private let useLink: Button
    private let otherDevice: Expander
    private var shownAddress: String?

    /// Makes the page of a flow's screen.
    static func page(_ screen: BrowserScreen) -> Page {
        let owner = BrowserPage(screen)
        let cancel = Button.pill(BrowserScreen.Text.cancel) { screen.cancel() }
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                Label.heading(BrowserScreen.Text.title), owner.spinner, Label(BrowserScreen.Text.advice), owner.error,
                Stacked.row(owner.again, owner.copy).centered(), cancel, owner.otherDevice))
        page.subtitle = screen.host
        page.focus = cancel
        page.back = { screen.cancel() }
        return page
    }

    private init(_ screen: BrowserScreen) {
        self.screen = screen
        again = Button(BrowserScreen.Text.openAgain) { screen.openAgain() }
        copy = Button(BrowserScreen.Text.copyAddress) {}
        useLink = .pill(BrowserScreen.Text.useLink) { screen.useLink() }
        link.onEdit { screen.link = $0 }.onReturn { screen.useLink() }
        let content = Stacked.column(
            Label(BrowserScreen.Text.otherDeviceAdvice), code.aligned(horizontally: GTK_ALIGN_CENTER),
            Group(nil, [link]), linkError, useLink)
        otherDevice = Expander(BrowserScreen.Text.otherDevice, content.margins(vertical: 12))
        copy.on("clicked") { [unowned self] in
            if let address = screen.address { copy.copyToClipboard(address) }
        }
        observing(self) { $0.draw() }
    }

    private func draw() {
        link.text = screen.link
        link.set(class: "error", screen.linkError != nil)
        linkError.text = screen.linkError
        useLink.isSensitive = screen.address != nil && !screen.link.isEmpty
        again.isSensitive = screen.address != nil
        copy.isSensitive = screen.address != nil
        otherDevice.isSensitive = screen.address != nil
        spinner.isSpinning = true
        error.text = screen.messages.isEmpty ? nil : screen.messages.joined(separator: "\n")
        guard screen.address != shownAddress else { return }
        shownAddress = screen.address
        if let modules = screen.code { code.show(modules) }
    }
}

extension Picture {
    /// Shows a code, with at most 300 pixels, so that it fits into the narrowest window.
    func show(_ code: ScannableCode) {
        show(side: code.size, scale: max(1, 300 / (code.size + 8))) { code.isDark(row: $0, column: $1) }
    }
}
