import CAdwaita
import LatchScreens
import Widgets

/// How the server is connected to.
@MainActor
final class ConnectionPage {
    private typealias Text = ConnectionScreen.Text

    private let screen: ConnectionScreen
    private let pages: PageStack
    private let proxy = TextRow(Text.proxy, purpose: GTK_INPUT_PURPOSE_URL)
    private let headers = Stacked.column()
    private let headerName = TextRow(Text.headerName)
    private let headerValue = TextRow.password(Text.headerValue)
    private let authorities = TextRow(Text.authorities)
    private let certificate = TextRow(Text.clientCertificate)
    private let passphrase = TextRow.password(Text.passphrase)
    private let pin = ActionRow(Text.pin)
    private let error = ErrorLabel()
    private let spinner = Spinner(Text.saving)
    private let save: Button
    private var shownHeaders: [String]?

    /// Makes the page, which leaves the stack after the options were stored.
    static func page(_ screen: ConnectionScreen, on pages: PageStack) -> Page {
        let owner = ConnectionPage(screen, pages)
        var page = Page(
            Text.title, owner: owner,
            Page.form(
                width: 600, isCentered: false, Group(nil, [owner.proxy]), owner.headers,
                Group(nil, [owner.headerName, owner.headerValue]),
                Button.pill(Text.addHeader) { screen.addHeader() },
                Group(nil, [owner.authorities, owner.certificate, owner.passphrase, owner.pin]), owner.error,
                owner.save,
                owner.spinner))
        page.focus = owner.proxy
        page.back = {
            screen.cancel()
            pages.pop()
        }
        return page
    }

    private init(_ screen: ConnectionScreen, _ pages: PageStack) {
        (self.screen, self.pages) = (screen, pages)
        save = .suggested(Text.save) { screen.save() }
        proxy.example(Text.proxyExample)
        proxy.onEdit { screen.proxy = $0 }
        headerName.onEdit { screen.headerName = $0 }
        headerValue.onEdit { screen.headerValue = $0 }.onReturn { screen.addHeader() }
        authorities.onEdit { screen.authoritiesFile = $0 }
        certificate.onEdit { screen.certificateFile = $0 }
        passphrase.onEdit { screen.passphrase = $0 }
        let remove = Button(icon: "user-trash-symbolic", name: Text.remove) { screen.removePin() }
        pin.suffix(remove.styled("flat").described(Text.pin))
        observing(self) { $0.draw() }
    }

    private func draw() {
        proxy.text = screen.proxy
        headerName.text = screen.headerName
        headerValue.text = screen.headerValue
        authorities.text = screen.authoritiesFile
        certificate.text = screen.certificateFile
        passphrase.text = screen.passphrase
        pin.subtitle = screen.pin
        pin.isVisible = screen.pin != nil
        error.text = screen.error?.message
        save.isSensitive = screen.state != .saving
        spinner.isSpinning = screen.state == .saving
        drawHeaders()
        if screen.state == .saved { pages.pop() }
    }

    private func drawHeaders() {
        guard screen.headerNames != shownHeaders else { return }
        shownHeaders = screen.headerNames
        headers.removeAll()
        let screen = screen
        headers.append(
            Group(
                Text.headers, description: Text.headersAdvice,
                screen.headerNames.map { name in
                    let remove = Button(icon: "user-trash-symbolic", name: Text.remove) { screen.removeHeader(name) }
                    return ActionRow(name).suffix(remove.styled("flat").described(name))
                }))
    }
}
