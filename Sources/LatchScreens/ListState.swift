/// What a screen shows of a list that is loaded from a server or from this device.
public enum ListState<Row: Sendable & Equatable>: Sendable, Equatable {
    /// The list is being loaded for the first time.
    case loading
    /// The list. The error is that of the last command or of the last try to load it again.
    case loaded([Row], ScreenError?)
    /// The list could not be loaded.
    case failed(ScreenError)

    /// The rows. Empty before they were loaded.
    public var rows: [Row] { if case .loaded(let rows, _) = self { rows } else { [] } }

    /// The longest list that is shown. Each row has a view, and a server may send any number.
    public static var longest: Int { 500 }

    /// The rows to show, at most ``longest``.
    public var shownRows: ArraySlice<Row> { rows.prefix(Self.longest) }

    /// That some rows are not shown, as a sentence. Nil when all are.
    public var note: String? {
        rows.count > Self.longest ? "The first \(Self.longest) of \(rows.count) are shown." : nil
    }

    /// Whether nothing was loaded, so that loading it again helps.
    public var hasFailed: Bool { if case .failed = self { true } else { false } }

    /// The error to show. Nil when there is none.
    public var error: ScreenError? {
        switch self {
        case .loading: nil
        case .loaded(_, let error): error
        case .failed(let error): error
        }
    }

    /// The state after a failure. Rows that were loaded before stay.
    func failed(_ error: any Error) -> Self {
        switch self {
        case .loaded(let rows, _): .loaded(rows, ScreenError(error))
        case .loading, .failed: .failed(ScreenError(error))
        }
    }
}
