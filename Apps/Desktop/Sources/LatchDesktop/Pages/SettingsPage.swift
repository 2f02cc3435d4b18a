import LatchKit
import LatchScreens
import Widgets

/// The settings: the downloads and the lock of the device.
@MainActor
final class SettingsPage {
    private typealias Text = LockSettingsScreen.Text

    private let lock: LockSettingsScreen
    private let current = TextRow.secret(Text.current)
    private let new = TextRow.secret(Text.new)
    private let again = TextRow.secret(Text.again)
    private let save: Button
    private let useSystem: Button
    private let remove: Button
    private let lockNow: Button
    private let idle: ChoiceRow
    private let continuesDownloads: SwitchRow
    private let choices: Group
    private let error: FieldErrors<LockSettingsScreen.Field>
    private let spinner = Spinner(Text.title)

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - lock: The settings of the lock.
    ///   - downloads: The settings of the downloads.
    /// - Returns: The page, which keeps its owner.
    static func page(_ lock: LockSettingsScreen, _ downloads: DownloadSettingsScreen) -> Page {
        let owner = SettingsPage(lock)
        return Page(
            AppScreen.Text.settings, owner: owner,
            Page.form(
                width: 600, isCentered: false, DownloadSettings.content(downloads),
                Group(Text.title, description: Text.advice), owner.choices,
                Group(nil, [owner.current, owner.new, owner.again]), owner.error.label, owner.save, owner.spinner,
                owner.useSystem, owner.lockNow, owner.remove))
    }

    private init(_ lock: LockSettingsScreen) {
        self.lock = lock
        error = FieldErrors([.current: current, .new: new])
        save = .suggested(Text.set) { lock.savePIN() }
        useSystem = .pill(Text.useSystem) { lock.useSystem() }
        remove = .pill(Text.remove) { lock.remove() }.styled("destructive-action")
        lockNow = .pill(Text.lockNow) { lock.lockNow() }
        idle = ChoiceRow(Text.idle) { lock.change(idleSeconds: lock.idleTimes[$0].seconds) }
        continuesDownloads = SwitchRow(Text.continuesDownloads) { lock.change(continuesDownloads: $0) }
        choices = Group(nil, [idle, continuesDownloads])
        current.onEdit { lock.current = $0 }.onReturn { [unowned self] in new.focus() }
        new.onEdit { lock.new = $0 }.onReturn { [unowned self] in again.focus() }
        again.onEdit { lock.again = $0 }.onReturn { lock.savePIN() }
        observing(self) { $0.draw() }
        save.whileShown { await lock.run() }
    }

    private func draw() {
        current.text = lock.current
        new.text = lock.new
        again.text = lock.again
        current.isVisible = lock.hasPIN
        save.title = lock.hasPIN ? Text.change : Text.set
        useSystem.isVisible = !lock.methods.contains(.system)
        for element in [remove, lockNow] { element.isVisible = lock.hasLock }
        choices.isVisible = lock.hasLock
        if let settings = lock.settings {
            let times = lock.idleTimes
            idle.show(times.map(\.title), chosen: times.firstIndex { $0.seconds == settings.idleSeconds } ?? 0)
            continuesDownloads.isOn = settings.continuesDownloads
        }
        error.show(lock.error, at: lock.errorField)
        spinner.isSpinning = lock.state == .working
        for button in [save, useSystem, remove, lockNow] { button.isSensitive = lock.state != .working }
    }
}
