import CAdwaita
import LatchScreens
import Widgets

/// How the server is connected to.
@MainActor
final class ConnectionPage {
    private typealias Text = ConnectionScreen.Text

    private let screen: ConnectionScreen
    private let leave: @MainActor () -> Void
    private let proxy = TextRow(Text.proxy, purpose: GTK_INPUT_PURPOSE_URL)
    private let headers = Stacked.column()
    private let headerName = TextRow(Text.headerName)
    private let headerValue = TextRow.secret(Text.headerValue)
    private let authorities = TextRow(Text.authorities)
    private let certificate = TextRow(Text.clientCertificate)
    private let passphrase = TextRow.secret(Text.passphrase)
    private let pin = ActionRow(Text.pin)
    private let errors: FieldErrors<ConnectionScreen.Field>
    private let addHeader: Button
    private let spinner = Spinner(Text.saving)
    private let save: Button
    private var shownHeaders: [String]?

    /// Makes the page, which leaves the stack after the options were stored.
    static func page(_ screen: ConnectionScreen, on pages: PageStack) -> Page {
        pages.page { leave in
            let owner = ConnectionPage(screen, leave)
            var page = Page(Text.title, owner: owner, owner.content())
            page.focus = owner.proxy
            page.back = {
                screen.cancel()
                leave()
            }
            return page
        }
    }

    private func content() -> any Element {
        Page.form(
            width: 600, isCentered: false, Group(nil, [proxy]), errors.place(for: .proxy), headers,
            Group(nil, [headerName, headerValue]), errors.place(for: .headerName, .headerValue), addHeader,
            Group(
                Text.certificates, description: Text.certificatesAdvice, [authorities, certificate, passphrase, pin]),
            errors.place(for: .authorities, .certificate),
            errors.label, save, spinner)
    }

    private init(_ screen: ConnectionScreen, _ leave: @escaping @MainActor () -> Void) {
        (self.screen, self.leave) = (screen, leave)
        save = .suggested(Text.save) { screen.save() }
        addHeader = .pill(Text.addHeader) { screen.addHeader() }
        errors = FieldErrors([
            .proxy: proxy, .headerName: headerName, .headerValue: headerValue, .authorities: authorities,
            .certificate: certificate,
        ])
        proxy.example(Text.proxyExample)
        proxy.onEdit { screen.proxy = $0 }
        headerName.onEdit { screen.headerName = $0 }
        headerValue.onEdit { screen.headerValue = $0 }.onReturn { screen.addHeader() }
        authorities.onEdit { screen.authoritiesFile = $0 }
        certificate.onEdit { screen.certificateFile = $0 }
        Self.addChooser(to: authorities, Text.authorities)
        Self.addChooser(to: certificate, Text.clientCertificate)
        passphrase.onEdit { screen.passphrase = $0 }
        let remove = Button(icon: "user-trash-symbolic", name: Text.remove) { screen.removePin() }
        pin.suffix(remove.styled("flat").described(Text.pin))
        observing(self) { $0.draw() }
    }

    /// Adds a button that lets a person choose the file instead of entering its path.
    private static func addChooser(to row: TextRow, _ title: String) {
        let choose = Button(icon: "document-open-symbolic", name: Text.choose) {
            FileChooser.choose(.file, title, from: row.text, above: row) { row.text = $0 }
        }
        row.suffix(choose.styled("flat").described(title))
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
        errors.show(screen.error, at: screen.errorField)
        save.isSensitive = screen.canSave
        for element in [addHeader, headers, pin] as [any Element] { element.isSensitive = screen.canSave }
        spinner.isSpinning = screen.state == .saving
        drawHeaders()
        if screen.state == .saved { leave() }
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
