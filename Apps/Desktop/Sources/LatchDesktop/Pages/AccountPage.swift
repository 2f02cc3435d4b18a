import LatchKit
import LatchScreens
import Widgets

/// One account, and the pages of what can be managed at its server.
@MainActor
final class AccountPage {
    private let screen: AccountScreen
    private let picture: Picture
    private var isDecoding = false
    private let version = Label().styled("dim-label")

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - screen: The account.
    ///   - pages: The stack for the pages of its parts.
    ///   - signOut: Asks whether to sign out.
    /// - Returns: The page, which keeps its owner.
    static func page(
        _ screen: AccountScreen, on pages: PageStack, signOut: @escaping @MainActor () -> Void
    ) -> Page {
        let owner = AccountPage(screen)
        let rows = screen.sections.map { section in
            ActionRow(section.title).opening { pages.push(subpage(section, screen, pages)) }
        }
        var page = Page(
            screen.name, owner: owner,
            Page.form(
                isCentered: false, owner.picture, Label.heading(screen.name), Label(screen.email), owner.version,
                Group(nil, rows), Button.pill(AccountsScreen.Text.signOut, signOut)))
        page.subtitle = screen.server
        page.focus = rows.first
        return page
    }

    private init(_ screen: AccountScreen) {
        self.screen = screen
        picture = Picture(screen.pictureName)
        observing(self) { $0.draw() }
    }

    private func draw() {
        version.text = screen.serverLine
        guard let bytes = screen.picture, !isDecoding else { return picture.isVisible = isDecoding }
        isDecoding = true
        Task { [weak self] in
            let image = await DecodedImage.decoded(bytes, side: 96)
            guard let self else { return }
            picture.show(image, side: 96)
            picture.isVisible = image != nil
        }
    }

    private static func subpage(
        _ section: AccountScreen.Section, _ screen: AccountScreen, _ pages: PageStack
    ) -> Page {
        switch section {
        case .sessions: SessionsPage.page(screen.sessions())
        case .keys: KeysPage.page(screen.keys())
        case .endpoints: EndpointsPage.page(screen.endpoints())
        case .connection: ConnectionPage.page(screen.connection(), on: pages)
        case .pin: ServerPINPage.page(screen.pin())
        case .password: pages.page { leave in ChangePasswordPage.page(screen.password { _ in leave() }) }
        }
    }
}
