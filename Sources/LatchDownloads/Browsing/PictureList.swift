import FoundationEssentials
import LatchKit
import Synchronization

/// The pictures that match a selection, newest first, with random access.
///
/// The number of pictures of each month is known. The pictures themselves are loaded a month at a time, and the months
/// that were not used for the longest time are removed again, so that a library of any size takes a few MB.
///
/// A library changes while it is shown. When a loaded month has other pictures than were counted, ``load(_:)`` says so.
public final class PictureList: Sendable {
    /// The maximum number of pictures of a list.
    static let maximumCount = 10_000_000
    /// The number of pictures from which on the months used longest ago are removed: 5 MB.
    static let loadedCount = 200_000

    /// What the list shows.
    public let selection: DownloadSelection
    private let request: @Sendable (PictureMonth) async throws -> [LibraryPicture]
    private let state: Mutex<LoadedMonths>

    init(
        _ selection: DownloadSelection, _ months: [PictureMonth], loadedCount: Int = PictureList.loadedCount,
        _ request: @escaping @Sendable (PictureMonth) async throws -> [LibraryPicture]
    ) {
        self.selection = selection
        self.request = request
        let inside = months.filter { Self.overlaps($0, selection) }
        state = Mutex(LoadedMonths(inside, limit: loadedCount))
    }

    /// The number of pictures.
    public var count: Int { state.withLock(\.count) }

    /// The memory of the loaded pictures in bytes.
    package var loadedBytes: Int { state.withLock(\.bytes) }

    /// The months in the order of the list.
    public var months: [PictureMonth] { state.withLock(\.months) }

    /// Returns the picture at a position. Nil while its month is not loaded, and for a position outside the list.
    public func picture(at position: Int) -> LibraryPicture? { state.withLock { $0.picture(at: position) } }

    /// Returns the positions of a month's pictures. `month` is an index of ``months``.
    public func positions(ofMonth month: Int) -> Range<Int> { state.withLock { $0.positions(of: month) } }

    /// Loads the pictures at some positions. Pictures that are loaded already are not requested again.
    ///
    /// - Returns: The changes of positions, in the order in which they happened.
    /// - Throws: A `LatchError` for network and session errors; `CancellationError`. Months that were loaded before
    ///   stay.
    @discardableResult
    public func load(_ positions: Range<Int>) async throws -> [PictureListChange] {
        var changes: [PictureListChange] = []
        for month in state.withLock({ $0.months(at: positions) }) {
            if let change = try await loadMonth(month) { changes.append(change) }
        }
        return changes
    }

    /// Returns the ids and times of the pictures at some positions, in order. Loads those that are not loaded.
    func pictures(at positions: RangeSet<Int>) async throws -> [LibraryPicture] {
        let parts = state.withLock { state in
            positions.ranges.flatMap { range in
                state.months(at: range).map {
                    ($0, range.clamped(to: state.positions(of: $0)), state.positions(of: $0))
                }
            }
        }
        var pictures: [LibraryPicture] = []
        for (month, range, whole) in parts {
            _ = try await loadMonth(month)
            pictures += state.withLock { state in
                let found = state.pictures(of: month)
                // Pictures that were added to a month that is selected as a whole are selected too.
                let end = range == whole ? found.count : min(range.upperBound - whole.lowerBound, found.count)
                return (range.lowerBound - whole.lowerBound..<max(end, range.lowerBound - whole.lowerBound))
                    .filter { $0 < found.count }.map { found[$0] }
            }
        }
        return pictures
    }

    /// Loads the months that begin before the selected time or end after it, because not all their pictures count.
    func loadEdges() async throws {
        for (index, month) in months.enumerated() where !Self.isInside(month, selection) {
            _ = try await loadMonth(index)
        }
    }

    private func loadMonth(_ index: Int) async throws -> PictureListChange? {
        guard let month = state.withLock({ $0.monthToLoad(index) }) else { return nil }
        try Task.checkCancellation()
        let pictures = try await request(month).filter { selection.isTaken($0.taken) }
        return state.withLock { $0.insert(PackedPictures(pictures), at: index) }
    }

    /// The clock of a camera differs from UTC by less than a day.
    private static let clockDifference = 86_400.0

    private static func overlaps(_ month: PictureMonth, _ selection: DownloadSelection) -> Bool {
        guard let period = month.period else { return true }
        return selection.takenFrom.map { period.upperBound + clockDifference > $0 } ?? true
            && selection.takenBefore.map { period.lowerBound - clockDifference < $0 } ?? true
    }

    private static func isInside(_ month: PictureMonth, _ selection: DownloadSelection) -> Bool {
        guard let period = month.period else { return true }
        return selection.takenFrom.map { period.lowerBound - clockDifference >= $0 } ?? true
            && selection.takenBefore.map { period.upperBound + clockDifference <= $0 } ?? true
    }
}

/// A change of the positions of a list: the pictures at some positions were replaced with others.
public struct PictureListChange: Sendable, Hashable {
    /// The positions before the change.
    public let positions: Range<Int>
    /// The number of pictures that are there now. All later pictures have moved accordingly.
    public let newCount: Int

    /// Creates a change.
    package init(positions: Range<Int>, newCount: Int) {
        self.positions = positions
        self.newCount = newCount
    }
}
