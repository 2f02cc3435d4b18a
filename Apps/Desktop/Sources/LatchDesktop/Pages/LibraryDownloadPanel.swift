import LatchKit
import LatchScreens
import Widgets

/// The question before a download: how much it is, and where the files are saved.
@MainActor
final class LibraryDownloadPanel {
    private typealias Text = LibraryDownloadScreen.Text

    private let screen: LibraryDownloadScreen
    private let sentence = Label()
    private let error = ErrorLabel()
    private let spinner = Spinner(Text.title)
    private let folder = ActionRow(DownloadSettingsScreen.Text.folder)
    private let change: Button
    private let follow: SwitchRow
    private let group: Group
    private let showDownloads: Button
    private let confirm: Button
    private let retry: Button
    private let cancel: Button

    /// Makes the panel of a question.
    static func content(_ screen: LibraryDownloadScreen) -> any Element {
        let owner = LibraryDownloadPanel(screen)
        let content = Page.form(
            width: 600, Label.heading(screen.title), owner.sentence, owner.spinner, owner.error,
            owner.group,
            Stacked.row(owner.cancel, owner.confirm, owner.retry, owner.showDownloads).centered())
        content.widget.keep(owner)
        return content.widget.expanded(vertically: true)
    }

    private init(_ screen: LibraryDownloadScreen) {
        self.screen = screen
        follow = SwitchRow(Text.follow) { screen.follows = $0 }
        confirm = .suggested(Text.download) { screen.confirm() }
        retry = .suggested(Text.retry) { screen.retry() }
        cancel = .pill(Text.cancel) { screen.cancel() }
        change = Button(icon: "folder-open-symbolic", name: Text.changeFolder) {}
        showDownloads = .suggested(DownloadsScreen.Text.title) {
            screen.cancel()
            Actions.activate("downloads")
        }
        group = Group(nil, screen.canFollow ? [folder, follow] : [folder])
        change.styled("flat").on("clicked") { [unowned self] in
            FileChooser.choose(.folder, Text.changeFolder, from: screen.folder ?? "", above: folder) {
                screen.change(folder: $0)
            }
        }
        folder.suffix(change)
        observing(self) { $0.draw() }
    }

    private func draw() {
        folder.subtitle = screen.folder
        change.isVisible = screen.canChangeFolder
        follow.isOn = screen.follows
        error.text = nil
        var (isWorking, canConfirm, isDone, hasFailed) = (false, false, false, false)
        switch screen.state {
        case .counting(let text), .adding(let text): (sentence.text, isWorking) = (text, true)
        case .ready(let summary):
            sentence.text = summary.sentence
            error.text = summary.spaceError?.message
            canConfirm = summary.canDownload || screen.follows
        case .added(let text): (sentence.text, isDone) = (text, true)
        case .failed(let failure): (sentence.text, error.text, hasFailed) = ("", failure.message, true)
        }
        sentence.isVisible = !sentence.text.isEmpty
        spinner.isSpinning = isWorking
        confirm.isSensitive = canConfirm
        confirm.isVisible = !isDone && !hasFailed
        retry.isVisible = hasFailed
        group.isVisible = !isDone
        showDownloads.isVisible = isDone
        cancel.title = isDone ? Text.done : Text.cancel
    }
}
