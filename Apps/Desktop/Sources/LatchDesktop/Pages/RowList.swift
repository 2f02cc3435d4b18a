import LatchScreens
import Widgets

/// The part of a page that shows a list with its error, and replaces the rows when they change.
@MainActor
final class RowList<Row: Equatable & Sendable> {
    /// What the page contains.
    let content = Stacked.column()
    private let error = ErrorLabel()
    private let spinner: Spinner
    private let empty: Label
    private let list = Stacked.column()
    private let make: @MainActor (Row) -> any Element
    private let retry: Button
    private var shown: [Row]?

    /// Makes a list without rows.
    ///
    /// - Parameters:
    ///   - name: What is being loaded, for screen readers.
    ///   - empty: The text of an empty list.
    ///   - retry: Loads a list again that could not be loaded.
    ///   - make: Makes the element of a row.
    init(
        _ name: String, empty: String = "", retry: @escaping @MainActor () -> Void,
        make: @escaping @MainActor (Row) -> any Element
    ) {
        spinner = Spinner(name)
        self.empty = Label(empty).styled("dim-label")
        self.retry = .suggested(AppScreen.Text.retry, retry)
        self.make = make
        for element in [error, self.retry, spinner, self.empty, list] as [any Element] { content.append(element) }
    }

    /// Shows a state. While a command is running, the rows cannot be used.
    func show(_ state: ListState<Row>, isBusy: Bool = false) {
        list.isSensitive = !isBusy
        error.text = state.error?.message
        retry.isVisible = state.hasFailed
        spinner.isSpinning = isBusy || state == .loading
        if case .loaded(let rows, _) = state { empty.isVisible = rows.isEmpty } else { empty.isVisible = false }
        guard state.rows != shown else { return }
        shown = state.rows
        list.removeAll()
        guard !state.rows.isEmpty else { return }
        list.append(Group(nil, state.shownRows.map(make)))
        if let note = state.note { list.append(Label(note)) }
    }
}
