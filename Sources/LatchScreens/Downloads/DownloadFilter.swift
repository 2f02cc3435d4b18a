/// Which files the list of downloads shows.
public enum DownloadFilter: Hashable, Sendable {
    /// All files, in the order of the queue.
    case all
    /// The files in one state.
    case only(DownloadRow.State)

    /// The filters in the order in which they are offered. Files that are being downloaded are shown by themselves.
    public static let allCases: [DownloadFilter] =
        [.all] + DownloadRow.State.allCases.filter { $0 != .running }.map(DownloadFilter.only)

    /// The name of the filter, for people.
    public var title: String {
        switch self {
        case .all: "All files"
        case .only(let state): state.title
        }
    }
}
