import LatchScreens
import Widgets

/// Shows the page that belongs to the state of the app.
@MainActor
final class Router {
    private let app: AppScreen
    private let pages: PageStack
    /// What the page at the bottom of the stack shows.
    private var shown: AnyHashable?

    /// Makes a router. It draws as long as it is kept.
    init(_ app: AppScreen, _ pages: PageStack) {
        (self.app, self.pages) = (app, pages)
        observing(self) { $0.draw() }
    }

    private func draw() {
        switch app.state {
        case .opening: show("opening") { OpeningPage.page() }
        case .failed(let error): show("failed") { FailurePage.page(error, app) }
        case .unavailable(_, let error): show("unavailable") { FailurePage.page(error, app) }
        default: break
        }
    }

    /// Replaces the pages, if others are shown.
    private func show(_ screen: AnyHashable, isBack: Bool = false, _ page: () -> Page) {
        guard shown != screen else { return }
        shown = screen
        pages.replace(with: page(), isBack: isBack)
    }
}
