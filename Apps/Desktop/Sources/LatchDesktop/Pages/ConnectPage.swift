import CAdwaita
import LatchKit
import LatchScreens
import Widgets

/// The address of the server.
@MainActor
final class ConnectPage {
    private let screen: ConnectScreen
    private let address = TextRow(ConnectScreen.Text.address, purpose: GTK_INPUT_PURPOSE_URL)
    private let error: FieldErrors<String>
    private let spinner = Spinner(ConnectScreen.Text.connecting)
    private let next: Button
    private let hosted: Stacked

    /// Makes the page of a flow's screen.
    static func page(_ screen: ConnectScreen, in flow: SignInFlow, on pages: PageStack) -> Page {
        let owner = ConnectPage(screen)
        let version = Label("v\(LatchClient.version)").styled("dim-label", "caption")
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                Label.heading(ConnectScreen.Text.title), Group(nil, [owner.address]),
                owner.error.label, owner.next,
                owner.spinner, owner.hosted,
                Button.flat(ConnectScreen.Text.settings) {
                    pages.push(ConnectionPage.page(screen.connectionScreen(), on: pages))
                },
                Stacked.row(version, Button.flat(LogScreen.Text.title) { Actions.activate("logs") }).centered()))
        page.focus = owner.address
        page.back = { flow.back() }
        // The first sign-in has nothing to go back to, unless the server is being asked.
        page.canGoBack = { flow.canLeave || screen.state == .connecting }
        return page
    }

    private init(_ screen: ConnectScreen) {
        self.screen = screen
        error = FieldErrors([ConnectScreen.Text.address: address])
        next = .suggested(ConnectScreen.Text.next) { screen.next() }
        hosted = Stacked.column()
        for server in screen.hostedServers { hosted.append(Button.pill(server.name) { screen.choose(server) }) }
        address.example(ConnectScreen.Text.example)
        address.onEdit { screen.address = $0 }.onReturn { screen.next() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        address.text = screen.address
        error.show(screen.error, at: ConnectScreen.Text.address)
        next.isSensitive = screen.canContinue
        hosted.isSensitive = screen.state != .connecting
        spinner.isSpinning = screen.state == .connecting
    }
}
