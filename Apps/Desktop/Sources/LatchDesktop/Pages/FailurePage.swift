import LatchScreens
import Widgets

/// Shown when nothing can be done but to try again.
@MainActor
final class FailurePage {
    /// Makes the page.
    static func page(_ failure: ScreenError, _ app: AppScreen) -> Page {
        let error = ErrorLabel()
        error.text = failure.message
        let retry = Button.suggested(AppScreen.Text.retry) { app.retry() }
        var page = Page(AppScreen.Text.name, owner: FailurePage(), Page.form(error, retry))
        page.focus = retry
        return page
    }
}
