import LatchKit
import LatchScreens
import Widgets

/// Shows the page that belongs to the state of the app, and the pages that a person opens from the menu above it.
@MainActor
final class Router {
    /// A page that a person opens from the menu or a button.
    enum Route: String, CaseIterable {
        case account, accounts, downloads, library, settings, logs
    }

    private let app: AppScreen
    private let pages: PageStack
    /// What the page at the bottom of the stack shows. It is kept, so that no later screen has the same identity.
    private var shown = Shown.nothing

    /// The page to open as soon as an account is signed in.
    private var awaited: Route?

    private enum Shown {
        case nothing
        case state(String)
        case screen(AnyObject)
    }

    /// Makes a router. It draws as long as it is kept.
    init(_ app: AppScreen, _ pages: PageStack) {
        (self.app, self.pages) = (app, pages)
        observing(self) { $0.draw() }
    }

    /// Opens a page above the others. Does nothing when the app has no such page now.
    func open(_ route: Route) {
        guard pages.top?.route != route.rawValue else { return }
        switch route {
        case .account:
            guard case .main(let main) = app.state else { return }
            let page = AccountPage.page(main.accountScreen(), on: pages) { [weak self] in
                self?.open(.accounts)
                self?.app.accounts?.askToSignOut(of: main.account.id)
            }
            push(page, route)
        case .accounts:
            if let screen = app.accounts { push(AccountsPage.page(screen), route) }
        case .downloads:
            if case .main(let main) = app.state { push(DownloadsPage.page(main.makeDownloadsScreen()), route) }
        case .library:
            if case .main(let main) = app.state, main.hasLibrary {
                push(LibraryPage.page(main.makeLibraryScreen(), on: pages), route)
            }
        case .settings:
            if let lock = app.lockSettings(), let downloads = app.downloadSettings() {
                push(SettingsPage.page(lock, downloads), route)
            }
        case .logs:
            if let screen = app.log() { push(LogPage.page(screen), route) }
        }
    }

    /// Opens a page of the signed-in account, now or as soon as an account is signed in.
    func openWhenReady(_ route: Route) {
        awaited = nil
        if case .main = app.state { open(route) } else { awaited = route }
    }

    private func push(_ page: Page, _ route: Route) {
        var page = page
        page.route = route.rawValue
        pages.push(page)
    }

    private func draw() {
        switch app.state {
        case .opening: show(.state("opening")) { OpeningPage.page() }
        case .failed(let error): show(.state("failed")) { FailurePage.page(AppScreen.Text.failed, error, app) }
        case .unavailable(_, let error):
            show(.state("unavailable")) { FailurePage.page(AppScreen.Text.unavailable, error, app) }
        case .passphrase(let screen): show(.screen(screen)) { PassphrasePage.page(screen) }
        case .locked(let screen): show(.screen(screen), isImmediate: true) { LockPage.page(screen) }
        case .signIn(let flow): draw(flow)
        case .changePassword(let screen): show(.screen(screen)) { ChangePasswordPage.page(screen) }
        case .main(let screen):
            show(.screen(screen)) { MainPage.page(screen) }
            if let awaited { openWhenReady(awaited) }
        }
    }

    private func draw(_ flow: SignInFlow) {
        switch flow.state {
        case .connect(let screen): show(.screen(screen), isBack: true) { ConnectPage.page(screen, in: flow, on: pages) }
        case .trust(let screen): show(.screen(screen)) { TrustPage.page(screen) }
        case .signIn(let screen): show(.screen(screen)) { SignInPage.page(screen, in: flow) }
        case .browser(let screen): show(.screen(screen)) { BrowserPage.page(screen) }
        case .device(let screen): show(.screen(screen)) { DevicePage.page(screen) }
        }
    }

    /// Replaces all pages, if another screen is shown.
    private func show(_ new: Shown, isBack: Bool = false, isImmediate: Bool = false, _ page: () -> Page) {
        switch (shown, new) {
        case (.state(let old), .state(let name)) where old == name: return
        case (.screen(let old), .screen(let screen)) where old === screen: return
        default:
            shown = new
            pages.replace(with: page(), isBack: isBack, isImmediate: isImmediate)
        }
    }
}
