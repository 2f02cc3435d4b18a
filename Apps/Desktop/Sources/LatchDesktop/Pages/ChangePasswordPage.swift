import LatchKit
import LatchScreens
import Widgets

/// Changes the password of the person.
@MainActor
final class ChangePasswordPage {
    private let screen: ChangePasswordScreen
    private let current = TextRow.secret(ChangePasswordScreen.Text.current)
    private let new = TextRow.secret(ChangePasswordScreen.Text.new)
    private let again = TextRow.secret(ChangePasswordScreen.Text.again)
    private let rule = Label().styled("dim-label")
    private let error: FieldErrors<ChangePasswordScreen.Field>
    private let spinner = Spinner(ChangePasswordScreen.Text.title)
    private let change: Button

    /// Makes the page.
    static func page(_ screen: ChangePasswordScreen) -> Page {
        let owner = ChangePasswordPage(screen)
        let rows = screen.isForced ? [owner.new, owner.again] : [owner.current, owner.new, owner.again]
        var page = Page(
            AppScreen.Text.name, owner: owner,
            Page.form(
                Label.heading(ChangePasswordScreen.Text.title), owner.rule, Group(nil, rows), owner.error.label,
                owner.change, owner.spinner))
        page.subtitle = screen.account.serverURL.authority
        page.focus = rows[0]
        page.back = { screen.cancel() }
        return page
    }

    private init(_ screen: ChangePasswordScreen) {
        self.screen = screen
        error = FieldErrors([.current: current, .new: new])
        change = .suggested(ChangePasswordScreen.Text.change) { screen.change() }
        current.onEdit { screen.current = $0 }.onReturn { [unowned self] in new.focus() }
        new.onEdit { screen.new = $0 }.onReturn { [unowned self] in again.focus() }
        again.onEdit { screen.again = $0 }.onReturn { screen.change() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        current.text = screen.current
        new.text = screen.new
        again.text = screen.again
        rule.text = screen.rule ?? ""
        rule.isVisible = screen.rule != nil
        error.show(screen.error, at: screen.errorField)
        change.isSensitive = screen.canChange
        spinner.isSpinning = screen.state == .changing
    }
}
