import LatchKit
import LatchScreens
import Widgets

/// The picture library of the account: what can be downloaded, and what is selected.
@MainActor
final class LibraryPage {
    private typealias Text = LibraryScreen.Text

    private let screen: LibraryScreen
    private let pages: PageStack
    private let tabs = FlowBox()
    private var tabButtons: [(section: LibrarySection, button: Button)] = []
    private let sentence = Label().styled("dim-label")
    private let error = ErrorLabel()
    private let spinner = Spinner(Text.loading)
    private let retry: Button
    private let grid: PictureGrid
    private let rows = Stacked.column()
    private let rowsPage: any Element
    private let bar = FlowBox()
    private let selection = Label().styled("dim-label")
    private let selectAll: Button
    private let clear: Button
    private let months: Button
    private let download: Button
    private let body = Stacked.column(spacing: 12)
    private let panel = Stacked.column()
    private var shownRows: LibraryScreen.State?
    private var shownMonths: [LibraryMonthRow] = []
    private var shownLocked: LockedFolderScreen?
    private var shownDownload: LibraryDownloadScreen?

    /// Makes the page. Its requests end when it is left.
    static func page(_ screen: LibraryScreen, on pages: PageStack) -> Page {
        let owner = LibraryPage(screen, pages)
        let content = Stacked.column(spacing: 0, owner.body, owner.panel)
        content.on("map") { screen.start() }.on("unmap") { screen.stop() }
        var page = Page(Text.title, owner: owner, content)
        page.back = { [unowned owner] in owner.goBack() }
        page.canGoBack = { true }
        return page
    }

    private init(_ screen: LibraryScreen, _ pages: PageStack) {
        (self.screen, self.pages) = (screen, pages)
        retry = .pill(Text.retry) { screen.retry() }
        grid = PictureGrid(screen)
        rowsPage = Page.form(width: 800, isCentered: false, rows)
        selectAll = Button(Text.selectAll) { screen.selectAll() }
        clear = Button(Text.clear) { screen.clearSelection() }
        months = Button(Text.months) { screen.setShowsMonths(true) }
        download = Button(Text.downloadAll) { screen.askToDownload() }.styled("suggested-action")
        for section in screen.sections {
            let button = Button(section.title) { screen.show(section) }
            tabs.append(button)
            tabButtons.append((section, button))
        }
        for element in [months, selectAll, clear, download] as [any Element] { bar.append(element) }
        body.margins(horizontal: 6, vertical: 12).expanded(vertically: true)
        for element in [tabs, sentence, error, spinner, retry, grid.list, rowsPage, selection, bar] as [any Element] {
            body.append(element)
        }
        rowsPage.widget.expanded(vertically: true)
        panel.expanded(vertically: true)
        observing(self) { $0.draw() }
    }

    private func goBack() {
        if let download = screen.download { return download.cancel() }
        if screen.showsMonths { return screen.setShowsMonths(false) }
        switch screen.section {
        case .album: screen.show(.albums)
        case .year: screen.show(.times)
        default: pages.pop()
        }
    }

    private func draw() {
        _ = screen.revision
        for (section, button) in tabButtons { button.set(class: "suggested-action", section == shownTab) }
        var (text, failure, count): (String?, String?, Int?) = (nil, screen.loadingError?.message, nil)
        switch screen.state {
        case .loading: text = Text.loading
        case .notOffered(let reason), .empty(let reason): text = reason
        case .failed(let error): failure = error.message
        case .albums, .years, .lockedFolder: break
        case .pictures(let number): count = number
        }
        sentence.text = text ?? ""
        sentence.isVisible = text != nil
        error.text = failure
        spinner.isSpinning = screen.state == .loading
        retry.isVisible = failure != nil
        grid.list.isVisible = count != nil && !screen.showsMonths
        grid.show(count ?? 0)
        if let target = screen.target, grid.scroll(to: target) { screen.targetShown() }
        bar.isVisible = count != nil
        selection.text = screen.selectionSentence
        selection.isVisible = count != nil
        clear.isVisible = screen.selection.count > 0
        months.isVisible = !screen.showsMonths && screen.months.count > 1
        download.title = screen.downloadTitle
        drawRows()
        drawDownload()
    }

    /// The section whose button is highlighted.
    private var shownTab: LibrarySection {
        switch screen.section {
        case .album: .albums
        case .year: .times
        default: screen.section
        }
    }

    private func drawRows() {
        let state = screen.state
        let shown = screen.showsMonths ? screen.months : []
        guard state != shownRows || shown != shownMonths || screen.lockedFolder !== shownLocked else { return }
        (shownRows, shownMonths, shownLocked) = (state, shown, screen.lockedFolder)
        rows.removeAll()
        switch state {
        case .pictures where screen.showsMonths: rows.append(monthList(screen.months))
        case .lockedFolder: if let locked = screen.lockedFolder { rows.append(LockedFolderPanel.content(locked)) }
        case .albums(let albums): rows.append(AlbumList.content(albums, of: screen))
        case .years(let years):
            rows.append(
                Group.long(years.prefix(LibraryMonthRow.most)) { [screen] year in
                    ActionRow("\(year.year)", subtitle: year.count).opening { screen.show(.year(year.year)) }
                })
        default: break
        }
        rowsPage.widget.isVisible =
            switch state {
            case .albums, .years, .lockedFolder: true
            default: screen.showsMonths
            }
    }

    private func monthList(_ months: [LibraryMonthRow]) -> any Element {
        Group.long(description: LibraryMonthRow.note(months), months.prefix(LibraryMonthRow.most)) { [screen] in
            Self.row($0, of: screen)
        }
    }

    private static func row(_ month: LibraryMonthRow, of screen: LibraryScreen) -> any Element {
        let select = Button(Text.selectMonth) { screen.toggleMonth(month) }.described(month.title)
        return ActionRow(month.title, subtitle: month.count).suffix(select).opening { screen.show(month) }
    }

    private func drawDownload() {
        body.isVisible = screen.download == nil
        panel.isVisible = screen.download != nil
        guard screen.download !== shownDownload else { return }
        shownDownload = screen.download
        panel.removeAll()
        guard let download = screen.download else { return }
        let content = LibraryDownloadPanel.content(download)
        panel.append(content)
        // Otherwise Return would press Back, which had the focus last or is the first control of the window.
        content.focus()
    }
}
