import LatchScreens
import Widgets

/// The person's PIN on the server.
@MainActor
final class ServerPINPage {
    private typealias Text = ServerPINScreen.Text

    private let screen: ServerPINScreen
    private let current = TextRow.secret(Text.current)
    private let password = TextRow.secret(Text.password)
    private let new = TextRow.secret(Text.new)
    private let again = TextRow.secret(Text.again)
    private let error: FieldErrors<ServerPINScreen.Field>
    private let spinner = Spinner(Text.title)
    private let fields: Group
    private let retry: Button
    private let save: Button
    private let remove: Button
    private let lock: Button

    /// Makes the page.
    static func page(_ screen: ServerPINScreen) -> Page {
        let owner = ServerPINPage(screen)
        return Page(
            Text.title, owner: owner,
            Page.form(
                isCentered: false, Label(screen.advice),
                owner.fields, owner.error.label, owner.retry, owner.save, owner.spinner, owner.lock, owner.remove))
    }

    private init(_ screen: ServerPINScreen) {
        self.screen = screen
        error = FieldErrors([.current: current, .password: password, .new: new])
        fields = Group(nil, [current, password, new, again])
        retry = .suggested(AppScreen.Text.retry) { screen.load() }
        save = .suggested(Text.set) { screen.save() }
        remove = .pill(Text.remove) { screen.remove() }.styled("destructive-action")
        lock = .pill(Text.lock) { screen.lock() }
        current.onEdit { screen.current = $0 }.onReturn { [unowned self] in password.focus() }
        password.onEdit { screen.password = $0 }.onReturn { [unowned self] in new.focus() }
        new.onEdit { screen.new = $0 }.onReturn { [unowned self] in again.focus() }
        again.onEdit { screen.again = $0 }.onReturn { screen.save() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        current.text = screen.current
        password.text = screen.password
        new.text = screen.new
        again.text = screen.again
        for element in [fields, save] as [any Element] { element.isVisible = screen.isKnown }
        retry.isVisible = screen.hasFailed
        for row in [current, password] { row.isVisible = screen.hasPIN }
        save.title = screen.hasPIN ? Text.change : Text.set
        remove.isVisible = screen.hasPIN
        lock.isVisible = screen.isUnlocked
        error.show(screen.error, at: screen.errorField)
        spinner.isSpinning = screen.state == .working
        for button in [save, remove, lock] { button.isSensitive = screen.state != .working }
    }
}
