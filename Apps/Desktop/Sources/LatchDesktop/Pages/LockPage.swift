import LatchKit
import LatchScreens
import Widgets

/// Unlocks the device.
@MainActor
final class LockPage {
    private let screen: LockScreen
    private let pin = TextRow.secret(LockScreen.Text.pin)
    private let tries = Label().styled("dim-label")
    private let error: FieldErrors<String>
    private let progress = Label()
    private let unlock: Button
    private let useSystem: Button
    private let cancel: Button
    private let forgot: Button
    private let content: Stacked
    private let dialog = ConfirmationDialog()

    /// Makes the page.
    static func page(_ screen: LockScreen) -> Page {
        let owner = LockPage(screen)
        var page = Page(AppScreen.Text.name, owner: owner, Page.form(owner.content))
        page.focus = screen.hasPIN ? owner.pin : owner.useSystem
        return page
    }

    private init(_ screen: LockScreen) {
        self.screen = screen
        unlock = .suggested(LockScreen.Text.unlock) { screen.unlock() }
        useSystem = .pill(LockScreen.Text.useSystem) { screen.unlockWithSystem() }
        cancel = .pill(LockScreen.Text.stop) { screen.cancel() }
        forgot = .flat(LockScreen.Text.forgot) { screen.askToForget() }
        error = FieldErrors([LockScreen.Text.pin: pin])
        content = .column(Label.heading(LockScreen.Text.title))
        if screen.hasPIN {
            content.append(Group(nil, [pin]))
            content.append(tries)
        }
        content.append(error.label)
        if screen.hasPIN { content.append(unlock) }
        if screen.hasSystemAuthentication { content.append(useSystem) }
        content.append(progress)
        content.append(cancel)
        content.append(forgot)
        pin.onEdit { screen.pin = $0 }.onReturn { screen.unlock() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        pin.text = screen.pin
        tries.text = screen.triesLeft ?? ""
        tries.isVisible = screen.triesLeft != nil
        error.show(screen.error, at: screen.hasPIN ? LockScreen.Text.pin : nil)
        unlock.isSensitive = screen.canUnlock
        let isLocked = if case .locked = screen.state { true } else { false }
        useSystem.isSensitive = isLocked
        forgot.isSensitive = isLocked
        switch screen.state {
        case .unlocking(.pin): progress.text = LockScreen.Text.checking
        case .unlocking(.system): progress.text = LockScreen.Text.systemAsks
        case .removing: progress.text = LockScreen.Text.removing
        case .locked, .forgetting, .unlocked: progress.text = ""
        }
        progress.isVisible = !progress.text.isEmpty
        cancel.isVisible = screen.state == .unlocking(.system)
        dialog.show(screen.question, above: content) { [screen] in
            screen.forget()
        } cancel: { [screen] in
            screen.cancel()
        }
    }
}
