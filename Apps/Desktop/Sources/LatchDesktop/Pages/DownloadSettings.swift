import CAdwaita
import LatchScreens
import Widgets

/// The part of the settings page about downloads.
@MainActor
final class DownloadSettings {
    private typealias Text = DownloadSettingsScreen.Text

    /// What the page contains. It keeps this object.
    let content = Stacked.column()
    private let screen: DownloadSettingsScreen
    private let folder: TextRow
    private let layout: ChoiceRow
    private let motionPhotos: SwitchRow
    private let metered: SwitchRow
    private let freeSpace = ActionRow(Text.freeSpace)
    private let folderError = ErrorLabel()
    private let error = ErrorLabel()
    private let following = Stacked.column()
    private var libraries: [FollowedRow]?
    private let dialog = ConfirmationDialog()

    /// Makes the part. It follows the settings while it is shown.
    static func content(_ screen: DownloadSettingsScreen) -> any Element {
        let owner = DownloadSettings(screen)
        owner.content.keep(owner)
        return owner.content
    }

    private init(_ screen: DownloadSettingsScreen) {
        self.screen = screen
        folder = TextRow(Text.folder)
        layout = ChoiceRow(Text.layout) { screen.setLayout(DownloadSettingsScreen.Layout.allCases[$0]) }
        motionPhotos = SwitchRow(Text.motionPhotos) {
            if $0 != screen.keepsMotionPhotos { screen.setKeepsMotionPhotos($0) }
        }
        metered = SwitchRow(Text.metered, subtitle: Text.meteredAdvice) {
            if $0 != screen.fetchesMetered { screen.setFetchesMetered($0) }
        }
        folder.onEdit { screen.folderText = $0 }.onApply(CommonText.apply) { screen.setFolder($0) }
        let choose = Button(icon: "folder-open-symbolic", name: Text.choose) { [unowned self] in
            FileChooser.choose(.folder, Text.folder, from: screen.folder, above: content) { screen.setFolder($0) }
        }
        folder.suffix(choose.styled("flat"))
        let group = Group(Text.title, [folder])
        let others = Group(nil, [freeSpace, layout, motionPhotos, metered])
        for element in [group, folderError, others, error, following] as [any Element] { content.append(element) }
        observing(self) { $0.draw() }
        content.whileShown { await screen.run() }
    }

    private func draw() {
        folder.text = screen.folderText
        folder.mark(isWrong: screen.folderError != nil)
        folderError.text = screen.folderError?.message
        freeSpace.subtitle = screen.freeSpace
        freeSpace.isVisible = !screen.freeSpace.isEmpty
        let layouts = DownloadSettingsScreen.Layout.allCases
        layout.show(layouts.map(\.title), chosen: layouts.firstIndex(of: screen.layout) ?? 0)
        motionPhotos.isOn = screen.keepsMotionPhotos
        metered.isOn = screen.fetchesMetered
        if case .failed(let failure) = screen.state {
            error.text = failure.message
        } else {
            error.text = screen.error?.message
        }
        dialog.show(screen.question, above: content) { [screen] in
            screen.confirm()
        } cancel: { [screen] in
            screen.cancel()
        }
        guard screen.libraries != libraries else { return }
        libraries = screen.libraries
        following.removeAll()
        following.isVisible = !screen.libraries.isEmpty
        following.append(Group(Text.following, description: Text.followingAdvice, screen.libraries.map(row)))
    }

    private func row(_ library: FollowedRow) -> any Element {
        let row = ActionRow(library.title, subtitle: library.sentence)
        if library.status == .stopped {
            row.suffix(Button(Text.startFollowing) { [screen] in screen.startFollowing() }.described(library.title))
        }
        let stop = Button(Text.stopFollowing) { [screen] in screen.stopFollowing(library.id) }
        return row.suffix(stop.described(library.title))
    }
}
