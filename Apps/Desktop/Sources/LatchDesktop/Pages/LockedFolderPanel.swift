import LatchKit
import LatchScreens
import Widgets

/// The locked folder: asks for the PIN, and downloads the files.
@MainActor
final class LockedFolderPanel {
    private typealias Text = LockedFolderScreen.Text

    private let screen: LockedFolderScreen
    private let advice = Label(Text.advice)
    private let sentence = Label()
    private let pin = TextRow.secret(Text.pin)
    private let group: Group
    private let error = ErrorLabel()
    private let spinner = Spinner(LibrarySection.locked.title)
    private let unlock: Button
    private let download: Button
    private let lock: Button

    /// Makes the panel of a locked folder.
    static func content(_ screen: LockedFolderScreen) -> any Element {
        let owner = LockedFolderPanel(screen)
        let content = Page.form(
            width: 600, owner.advice, owner.group, owner.sentence, owner.spinner, owner.error, owner.unlock,
            owner.download, owner.lock)
        content.widget.keep(owner)
        return content.widget.expanded(vertically: true)
    }

    private init(_ screen: LockedFolderScreen) {
        self.screen = screen
        group = Group(nil, [pin])
        unlock = .suggested(Text.unlock) { screen.unlock() }
        download = .suggested(Text.download) { screen.download() }
        lock = .pill(Text.lock) { screen.lock() }
        pin.onEdit { screen.pin = $0 }.onReturn { screen.unlock() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        pin.text = screen.pin
        var (text, failure, isWorking, asksPIN, isUnlocked, canDownload) = (
            "", String?.none, false, false, false, false
        )
        switch screen.state {
        case .working(let working): (text, isWorking) = (working, true)
        case .noPIN(let reason): text = reason
        case .locked(let error): (failure, asksPIN) = (error?.message, true)
        case .unlocked(let summary):
            (text, failure, isUnlocked) = (summary.sentence, summary.spaceError?.message, true)
            canDownload = summary.canDownload
        case .downloading(let progress): (text, isWorking, isUnlocked) = (progress, true, true)
        case .done(let result): text = result
        }
        sentence.text = text
        sentence.isVisible = !text.isEmpty
        error.text = failure
        spinner.isSpinning = isWorking
        for element in [advice, group, unlock] as [any Element] { element.isVisible = asksPIN }
        download.isVisible = canDownload
        lock.isVisible = isUnlocked
    }
}
