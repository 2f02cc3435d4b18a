import LatchKit
import LatchScreens
import Widgets

/// The downloads: progress, what holds them up, and the files.
@MainActor
final class DownloadsPage {
    private typealias Text = DownloadsScreen.Text

    private let screen: DownloadsScreen
    private let title = Label.heading("")
    private let bar = ProgressBar(Text.title)
    private let numbers = Label().styled("numeric", "dim-label")
    private let reason = ErrorLabel()
    private let error = ErrorLabel()
    private let remedy: Button
    private let running = Group()
    private let list = Group()
    private let filter: ChoiceRow
    private let none = Label(Text.noneInState).styled("dim-label")
    private let commands = FlowBox()
    private var commandButtons: [(button: Button, isNeeded: (DownloadOverview) -> Bool)] = []
    private let previous: Button
    private let next: Button
    private var runningRows: [DownloadRowView] = []
    private var rows: [DownloadRowView] = []
    private var isAsking = false

    /// Makes the page. It follows the queue while it is shown.
    static func page(_ screen: DownloadsScreen) -> Page {
        let owner = DownloadsPage(screen)
        let content = Page.form(
            width: 800, isCentered: false, owner.title, owner.bar, owner.numbers, owner.reason, owner.remedy,
            owner.error, owner.commands, owner.running, Group(nil, [owner.filter]), owner.none, owner.list,
            Stacked.row(owner.previous, owner.next).centered())
        var page = Page(Text.title, owner: owner, content)
        page.headerItems = [
            Button(icon: "folder-symbolic", name: Text.openFolder) { [weak owner] in
                if let owner, let folder = screen.folder { Launcher.open(folder, from: owner.title) }
            }
        ]
        return page
    }

    private init(_ screen: DownloadsScreen) {
        self.screen = screen
        remedy = .pill("") { [unowned screen] in screen.overview?.action.map { Actions.perform($0) { screen.retry() } }
        }
        filter = ChoiceRow(Text.filter) { screen.filter = DownloadFilter.allCases[$0] }
        previous = .pill(Text.previous) { screen.showPreviousPage() }
        next = .pill(Text.next) { screen.showNextPage() }
        add(Text.start, { $0.phase == .stopped }) { screen.start() }
        add(Text.pause, \.canPause) { screen.pause() }
        add(Text.resume, \.canResume) { screen.resume() }
        add(Text.showFailures, { $0.failures != nil }) { screen.filter = .only(.failed) }
        add(Text.retry, \.canRetry) { screen.retry() }
        add(Text.clear, \.canClear) { screen.clear() }
        add(Text.cancelAll, \.canCancel) { screen.askToCancelAll() }
        observing(self) { $0.draw() }
        title.whileShown { await screen.run() }
    }

    private func add(
        _ title: String, _ isNeeded: @escaping (DownloadOverview) -> Bool, _ action: @escaping @MainActor () -> Void
    ) {
        let button = Button(title, action)
        commands.append(button)
        commandButtons.append((button, isNeeded))
    }

    private func draw() {
        if case .failed(let failure) = screen.state {
            error.text = failure.message
        } else {
            error.text = screen.error?.message
        }
        if let overview = screen.overview { draw(overview) }
        show(screen.running, in: running, &runningRows)
        running.isVisible = !screen.running.isEmpty
        filter.show(
            DownloadFilter.allCases.map(\.title), chosen: DownloadFilter.allCases.firstIndex(of: screen.filter) ?? 0)
        show(screen.page.rows.filter { $0.state != .running }, in: list, &rows)
        none.isVisible = rows.isEmpty && screen.filter != .all
        filter.isVisible = screen.overview.map { $0.phase != .empty } ?? false
        previous.isVisible = screen.page.hasPrevious
        next.isVisible = screen.page.hasNext
        if screen.state == .confirming { ask() }
    }

    private func draw(_ overview: DownloadOverview) {
        title.text = overview.title
        bar.fraction = overview.fraction
        bar.isVisible = overview.phase != .empty
        let parts = [overview.files, overview.bytes, overview.rate, overview.timeLeft, overview.failures]
        numbers.text = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
        numbers.isVisible = overview.phase != .empty
        reason.text = overview.waitReason
        remedy.title = overview.action?.title ?? ""
        remedy.isVisible = overview.action != nil
        for (button, isNeeded) in commandButtons { button.isVisible = isNeeded(overview) }
    }

    /// Shows files in the rows of a group, and makes or removes rows at its end.
    private func show(_ files: [DownloadRow], in group: Group, _ views: inout [DownloadRowView]) {
        while views.count > files.count { group.remove(views.removeLast()) }
        while views.count < files.count {
            let view = DownloadRowView(screen)
            group.append(view)
            views.append(view)
        }
        for (view, file) in zip(views, files) { view.show(file) }
    }

    private func ask() {
        guard !isAsking else { return }
        isAsking = true
        Question.ask(
            Text.confirmTitle, Text.confirmAdvice, action: Text.cancelAll, cancel: Text.keep, isDestructive: true,
            above: title
        ) { [screen, weak self] agrees in
            self?.isAsking = false
            if agrees { screen.confirm() } else { screen.keep() }
        }
    }
}
