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
    /// The file that the row showed when the last press of a button began.
    private var pressed: DownloadRow?
    private let remedy: Button
    private var buttons: [(button: Button, isNeeded: (DownloadRow) -> Bool)] = []

    var widget: Widget { row.widget }

    /// Makes a view without a file. Its widget keeps it.
    init(_ screen: DownloadsScreen) {
        self.screen = screen
        remedy = Button("") {}
        row.keep(self)
        row.suffix(percent)
        row.footer(bar.margins(horizontal: 12, vertical: 6))
        add("folder-open-symbolic", Text.openFile, \.canOpen) { [unowned self] file in
            if let path = file.path { Launcher.open(path, from: row) }
        }
        act(remedy) { file in
            if let action = file.action { Actions.perform(action) { screen.retry([file.id]) } }
        }
        row.suffix(remedy)
        add("media-playback-pause-symbolic", Text.pause, \.canPause) { screen.pause([$0.id]) }
        add("media-playback-start-symbolic", Text.resume, \.canResume) { screen.resume([$0.id]) }
        add("view-refresh-symbolic", Text.retry, \.canRetry) { screen.retry([$0.id]) }
        add("process-stop-symbolic", Text.cancel, \.canCancel) { screen.cancel([$0.id]) }
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
        _ action: @escaping @MainActor (DownloadRow) -> Void
    ) {
        let button = Button(icon: icon, name: name) {}
        act(button, action)
        row.suffix(button.styled("flat"))
        buttons.append((button, isNeeded))
    }

    /// Makes a button act on the file that the row showed when the press began, also when it shows another one since.
    private func act(_ button: Button, _ action: @escaping @MainActor (DownloadRow) -> Void) {
        button.onPress { [unowned self] in pressed = shown }
        button.on("clicked") { [unowned self] in
            if let file = pressed ?? shown { action(file) }
            pressed = nil
        }
    }
}

extension DownloadRow {
    /// Whether the file can be opened.
    fileprivate var canOpen: Bool { path != nil }
}
