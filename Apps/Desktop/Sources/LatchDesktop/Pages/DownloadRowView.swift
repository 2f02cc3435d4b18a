import LatchScreens
import Widgets

/// One file in the list of downloads. It is used again for other files, so that the keyboard focus stays.
@MainActor
final class DownloadRowView: Element {
    private typealias Text = DownloadsScreen.Text

    private let row = ActionRow("")
    private let bar = ProgressBar("")
    private let percent = Label.note("").styled("numeric")
    private let screen: DownloadsScreen
    private var shown: DownloadRow?
    private let remedy: Button
    private var buttons: [(button: Button, isNeeded: (DownloadRow) -> Bool)] = []

    var widget: Widget { row.widget }

    /// Makes a view without a file. Its widget keeps it.
    init(_ screen: DownloadsScreen) {
        self.screen = screen
        remedy = Button("") {}
        row.keep(self)
        row.suffix(percent)
        row.suffix(bar)
        add("folder-open-symbolic", Text.openFile, \.canOpen) { [unowned self] _ in
            if let path = shown?.path { Launcher.open(path, from: row) }
        }
        remedy.on("clicked") { [unowned self] in
            if let shown, let action = shown.action { Actions.perform(action) { screen.retry([shown.id]) } }
        }
        row.suffix(remedy)
        add("media-playback-pause-symbolic", Text.pause, \.canPause) { screen.pause([$0]) }
        add("media-playback-start-symbolic", Text.resume, \.canResume) { screen.resume([$0]) }
        add("view-refresh-symbolic", Text.retry, \.canRetry) { screen.retry([$0]) }
        add("process-stop-symbolic", Text.cancel, \.canCancel) { screen.cancel([$0]) }
    }

    /// Shows a file.
    func show(_ file: DownloadRow) {
        guard file != shown else { return }
        if file.name != shown?.name {
            row.title = file.name
            bar.named(file.name)
            for button in buttons.map(\.button) + [remedy] { button.described(file.name) }
        }
        row.subtitle = [file.state.title, file.bytes, file.account ?? "", file.reason ?? ""].filter { !$0.isEmpty }
            .joined(separator: "\n")
        percent.text = file.percent ?? ""
        percent.isVisible = file.percent != nil
        bar.isVisible = file.fraction != nil
        bar.fraction = file.fraction ?? 0
        for (button, isNeeded) in buttons { button.isVisible = isNeeded(file) }
        // The button with the icon retries.
        remedy.isVisible = file.action.map { $0 != .retry } ?? false
        remedy.title = file.action?.title ?? ""
        shown = file
    }

    private func add(
        _ icon: String, _ name: String, _ isNeeded: @escaping (DownloadRow) -> Bool,
        _ action: @escaping @MainActor (DownloadRow.ID) -> Void
    ) {
        let button = Button(icon: icon, name: name) { [unowned self] in if let shown { action(shown.id) } }
        row.suffix(button.styled("flat"))
        buttons.append((button, isNeeded))
    }
}

extension DownloadRow {
    /// Whether the file can be opened.
    fileprivate var canOpen: Bool { path != nil }
}
