import LatchKit
import LatchScreens
import Widgets

/// The app of the active account.
@MainActor
final class MainPage {
    private let screen: MainScreen
    private let name = Label.heading("")
    private let email = Label()
    private let offline = Label().styled("dim-label")
    private let checkCertificate = Button.pill(AppScreen.Text.checkCertificate) { Actions.activate("sign-in-again") }

    /// Makes the page.
    static func page(_ screen: MainScreen) -> Page {
        let owner = MainPage(screen)
        let rows =
            (screen.hasLibrary ? [Self.link(LibraryScreen.Text.title, "library")] : []) + [
                Self.link(DownloadsScreen.Text.title, "downloads"), Self.link(AccountScreen.Text.title, "account"),
            ]
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                owner.name, owner.email, owner.offline, owner.checkCertificate,
                Group(nil, rows)))
        page.focus = rows[0]
        page.subtitle = screen.account.serverURL.authority
        page.headerItems = [
            Button(icon: "avatar-default-symbolic", name: AccountsScreen.Text.title, action: "app.accounts")
        ]
        return page
    }

    private init(_ screen: MainScreen) {
        self.screen = screen
        observing(self) { $0.draw() }
    }

    /// A row that opens another page.
    private static func link(_ title: String, _ action: String) -> any Element {
        ActionRow(title).opening { Actions.activate(action) }
    }

    private func draw() {
        name.text = screen.name
        email.text = screen.email
        offline.text = screen.offlineReason ?? ""
        offline.isVisible = screen.offlineReason != nil
        checkCertificate.isVisible = screen.hasCertificateProblem
    }
}
