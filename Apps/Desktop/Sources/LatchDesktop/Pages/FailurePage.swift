import LatchScreens
import Widgets

/// Shown when nothing of an account can be shown: why, and what can be done.
@MainActor
final class FailurePage {
    /// Makes the page.
    static func page(_ title: String, _ failure: ScreenError, _ app: AppScreen) -> Page {
        let error = ErrorLabel()
        error.text = failure.message
        let retry = Button.suggested(AppScreen.Text.retry) { app.retry() }
        let check = Button.pill(AppScreen.Text.checkCertificate) { app.signInAgain() }
        check.isVisible = failure.isAboutCertificate
        var page = Page(AppScreen.Text.name, owner: FailurePage(), Page.form(Label.heading(title), error, retry, check))
        page.focus = retry
        return page
    }
}
