import CAdwaita
import LatchKit
import LatchScreens
import Widgets

/// Who signs in: with a password, an identity provider or a key.
@MainActor
final class SignInPage {
    private let screen: SignInScreen
    private let email = TextRow(SignInScreen.Text.email, purpose: GTK_INPUT_PURPOSE_EMAIL)
    private let password = TextRow.secret(SignInScreen.Text.password)
    private let key = TextRow.secret(SignInScreen.Text.key)
    private let clientID = TextRow(SignInScreen.Text.clientID)
    private let clientIDGroup: Group
    private let useDevice: Button
    private let error: FieldErrors<SignInScreen.Field>
    private let spinner = Spinner(SignInScreen.Text.signingIn)
    private let login: Button
    private let register: Button
    private let useKey: Button
    private var providers: [Button] = []

    /// Makes the page of a flow's screen.
    static func page(_ screen: SignInScreen, in flow: SignInFlow) -> Page {
        let owner = SignInPage(screen)
        var page = Page(AppScreen.Text.name, owner: owner, owner.content())
        page.subtitle = screen.host
        page.focus = owner.firstField
        page.back = { flow.back() }
        return page
    }

    private init(_ screen: SignInScreen) {
        self.screen = screen
        error = FieldErrors([.email: email, .password: password, .key: key, .clientID: clientID])
        clientIDGroup = Group(nil, [clientID])
        useDevice = .pill(SignInScreen.Text.useDevice) { screen.useDevice() }
        login = .suggested(SignInScreen.Text.login) { screen.login() }
        register = .flat(SignInScreen.Text.register) { screen.register() }
        useKey = .pill(SignInScreen.Text.useKey) { screen.useKey() }
        providers = screen.providers.map { provider in
            Button.pill(provider.title) { screen.useBrowser(provider) }.shortened()
        }
        email.example(SignInScreen.Text.emailExample)
        email.onEdit { screen.email = $0 }.onReturn { [unowned self] in password.focus() }
        password.onEdit { screen.password = $0 }.onReturn { screen.login() }
        key.onEdit { screen.key = $0 }.onReturn { screen.useKey() }
        clientID.onEdit { screen.clientID = $0 }
        observing(self) { $0.draw() }
    }

    private func content() -> any Element {
        let column = Stacked.column(Label.heading(screen.host))
        for sentence in [screen.reason].compactMap(\.self) + screen.warnings { column.append(Label(sentence)) }
        column.append(error.label)
        if screen.hasPassword {
            column.append(Group(nil, [email, password]))
            column.append(login)
            if screen.canRegister { column.append(register) }
        }
        column.append(spinner)
        if screen.hasPassword, !providers.isEmpty { column.append(Label(SignInScreen.Text.or).styled("dim-label")) }
        column.append(clientIDGroup)
        for provider in providers { column.append(provider) }
        column.append(useDevice)
        if screen.hasKey {
            if screen.hasPassword || !providers.isEmpty {
                column.append(Label(SignInScreen.Text.or).styled("dim-label"))
            }
            column.append(Group(nil, [key]))
            column.append(useKey)
        }
        return Page.form(column)
    }

    private var firstField: (any Element)? {
        guard screen.hasPassword else { return providers.first ?? (screen.hasKey ? key : nil) }
        return screen.email.isEmpty ? email : password
    }

    private func draw() {
        email.text = screen.email
        password.text = screen.password
        key.text = screen.key
        clientID.text = screen.clientID
        clientIDGroup.isVisible = screen.needsClientID
        useDevice.isVisible = screen.offersDevice
        useDevice.isSensitive = screen.state != .signingIn
        error.show(screen.error, at: screen.errorField)
        login.isSensitive = screen.canLogin
        register.isSensitive = screen.canLogin
        useKey.isSensitive = screen.canUseKey
        spinner.isSpinning = screen.state == .signingIn
        for provider in providers { provider.isSensitive = screen.state != .signingIn }
    }
}
