import CAdwaita
import LatchScreens
import Widgets

/// Waits for a sign-in on another device.
@MainActor
final class DevicePage {
    private let screen: DeviceScreen
    private let spinner = Spinner(DeviceScreen.Text.title)
    private let address = Label()
    private let letters = Label.heading("")
    private let problem = ErrorLabel()
    private let copy = Button(DeviceScreen.Text.copyAddress) {}
    private let code = Picture(BrowserScreen.Text.code)
    private var shownAddress: String?

    /// Makes the page of a flow's screen.
    static func page(_ screen: DeviceScreen) -> Page {
        let owner = DevicePage(screen)
        let cancel = Button.pill(DeviceScreen.Text.cancel) { screen.cancel() }
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                Label.heading(DeviceScreen.Text.title), owner.spinner, Label(DeviceScreen.Text.advice), owner.problem,
                owner.address, owner.letters, owner.code.aligned(horizontally: GTK_ALIGN_CENTER),
                Stacked.row(owner.copy).centered(), cancel))
        page.subtitle = screen.host
        page.focus = cancel
        page.back = { screen.cancel() }
        return page
    }

    private init(_ screen: DeviceScreen) {
        self.screen = screen
        copy.on("clicked") { [unowned self] in
            if let address = screen.address { copy.copyToClipboard(address) }
        }
        observing(self) { $0.draw() }
    }

    private func draw() {
        spinner.isSpinning = true
        copy.isSensitive = screen.address != nil
        problem.text = screen.problem
        address.text = screen.address ?? ""
        letters.text = screen.userCode ?? ""
        guard screen.address != shownAddress else { return }
        shownAddress = screen.address
        if let modules = screen.code { code.show(modules) }
    }
}
