import FoundationEssentials
import HTTPMessages
import LatchKit

/// Everything that searches find, each asset once, oldest first and a page at a time. A page is requested when it is
/// needed.
///
/// A page is requested by the time of the last picture before it, not by its number. A deletion would otherwise move all
/// later pages up, and the first pictures of the next page would be on none. Page numbers are used only when a page is
/// full of pictures of one moment, or the server uses another order. Such pages are read again until they have nothing
/// new and the number of pictures found equals the number of entries. A server may list the pictures of one moment in a
/// different order at each request.
///
/// The iterator throws `LatchError.Code.serverRefused` at the end of a search when some pictures of one moment cannot be
/// found. All others are returned before, including those of later moments.
struct ImmichPages: AsyncSequence {
    typealias Query = [JSONValue.Member]

    let library: ImmichLibrary
    /// The searches, one after another.
    let queries: [Query]

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(library: library, queries: queries[...]) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let library: ImmichLibrary
        fileprivate var queries: ArraySlice<Query>
        /// Where the first query is. Nil before its first page.
        private var position: Position?

        fileprivate init(library: ImmichLibrary, queries: ArraySlice<Query>) {
            (self.library, self.queries) = (library, queries)
        }

        mutating func next() async throws -> [JSONValue]? {
            while let query = queries.first {
                var position = position ?? Position(query)
                while !position.isAtEnd {
                    let (items, next) = try await library.page(position.page, of: query, from: position.from)
                    let fresh = position.advance(items, next)
                    self.position = position
                    if !fresh.isEmpty { return fresh }
                }
                (queries, self.position) = (queries.dropFirst(), nil)
                if position.missing > 0 { throw library.incomplete(position.missing, of: position.listed) }
            }
            return nil
        }
    }
}

extension ImmichPages {
    /// Where a search is.
    private struct Position {
        /// By how many seconds each slice of time overlaps with the one before. Servers know times more precisely than
        /// they report them.
        private static let overlap = 0.002
        /// How many times the pages are read again without a new picture while entries of unknown pictures remain.
        private static let maximumEmptyRounds = 32

        /// The moment at which the slice begins. Nil for the beginning of time.
        private(set) var from: Date?
        /// The number of the page to request.
        private(set) var page = 1
        private(set) var isAtEnd = false
        /// How many listed pictures could not be found, and how many entries the pages with them had.
        private(set) var missing = 0
        private(set) var listed = 0
        /// The pictures found near the beginning of the slice, and when they were taken.
        private var recent: [String: Date] = [:]
        /// Whether the pages of the slice had a picture for the first time since page 1, and the times on them.
        private var isNew = false
        private var times: [Date] = []
        /// How many times the pages of the slice were read without a new picture.
        private var turns = 0

        init(_ query: Query) {
            from = query.first { $0.name == "takenAfter" }.flatMap { $0.value.string }.flatMap(ServerTime.date)
        }

        /// Records a page, and decides which one is next.
        ///
        /// - Parameters:
        ///   - items: The entries of the page.
        ///   - next: The number of the next page according to the server. Nil on the last one.
        /// - Returns: The entries that are new.
        mutating func advance(_ items: [JSONValue], _ next: Int?) -> [JSONValue] {
            let fresh = items.filter { record($0) }
            isNew = isNew || fresh.contains { ImmichAssetReading.id($0) != nil }
            times += Self.times(items)
            let later = Self.later(items, than: from)
            // A server that repeats a page number or sends empty pages must not be asked for ever.
            if let next, next > page, !items.isEmpty, later == nil {
                page = next
            } else if !readAgain(until: later) {
                beginSlice(next == nil ? nil : later)
            }
            return fresh
        }

        /// Returns to the first page of the slice if pictures before `later` may be missing.
        private mutating func readAgain(until later: Date?) -> Bool {
            // The next slice requests later pictures again.
            let range = (from ?? .distantPast)...Swift.max(from ?? .distantPast, later ?? .distantFuture)
            let listed = times.count { range.contains($0) }
            let missing = listed - recent.values.count { range.contains($0) }
            guard page > 1 else { return false }
            if isNew || missing > 0 && turns < Self.maximumEmptyRounds {
                turns = isNew ? 0 : turns + 1
                (page, isNew, times) = (1, false, [])
                return true
            }
            if missing > 0 {
                self.missing += missing
                self.listed += listed
            }
            return false
        }

        /// Begins the slice from a moment on. Nil ends the search.
        private mutating func beginSlice(_ later: Date?) {
            guard let later else { return isAtEnd = true }
            from = later
            recent = recent.filter { $0.value >= later - Self.overlap }
            (page, isNew, times, turns) = (1, false, [], 0)
        }

        /// Records a picture. Returns whether it is new.
        private mutating func record(_ asset: JSONValue) -> Bool {
            guard let id = ImmichAssetReading.id(asset) else { return true }
            return recent.updateValue(ImmichAssetReading.taken(asset) ?? .distantFuture, forKey: id) == nil
        }

        /// The times at which the pictures of a page were taken, one for each picture.
        private static func times(_ items: [JSONValue]) -> [Date] {
            let pairs = items.compactMap { item in
                ImmichAssetReading.id(item).map { ($0, ImmichAssetReading.taken(item) ?? .distantFuture) }
            }
            return Array(Dictionary(pairs) { first, _ in first }.values)
        }

        /// Returns the moment from which all pictures after a page were taken. Nil when the page does not tell.
        private static func later(_ items: [JSONValue], than from: Date?) -> Date? {
            let times = items.compactMap(ImmichAssetReading.taken)
            guard times.count == items.count, zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }),
                let last = times.last, last - overlap > from ?? .distantPast
            else { return nil }
            return last - overlap
        }
    }
}

extension ImmichLibrary {
    /// Returns the pages of all assets that match the filters, oldest first: first the timeline, then the archive.
    func pages(_ filters: ImmichPages.Query, _ version: ImmichRelease) -> ImmichPages {
        guard version.knowsVisibility else {
            return ImmichPages(library: self, queries: [filters + [.init("withArchived", true)]])
        }
        return ImmichPages(
            library: self, queries: ["timeline", "archive"].map { filters + [.init("visibility", .string($0))] })
    }

    /// Returns the pages of all assets of the locked folder that match the filters, oldest first.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    func lockedPages(_ filters: ImmichPages.Query, _ version: ImmichRelease) throws(LatchError) -> ImmichPages {
        guard version.knowsVisibility else {
            throw LatchError(
                .notOffered, "\(account.serverURL) has no locked folder: Immich has it from version 1.133.")
        }
        return ImmichPages(library: self, queries: [filters + [.init("visibility", "locked")]])
    }

    /// Requests a page of a search.
    fileprivate func page(
        _ page: Int, of query: ImmichPages.Query, from: Date?
    ) async throws -> (items: [JSONValue], next: Int?) {
        var query = query
        if let from {
            query.removeAll { $0.name == "takenAfter" }
            query.append(.init("takenAfter", .string(Self.text(from))))
        }
        query += [
            .init("size", .number(Double(Self.pageSize))), .init("withExif", true), .init("order", "asc"),
            .init("page", .number(Double(page))),
        ]
        let response = try await session.client.send(
            .post, "\(reading.api)/search/metadata", headers: Self.headers, body: JSONValue.object(query).encoded())
        guard response.status.isSuccess, let found = try? JSONValue(parsing: response.body)["assets"],
            let items = found["items"]?.array
        else { throw refusal(response, "The library could not be searched") }
        // Immich writes the number as text.
        let next = found["nextPage"].flatMap {
            $0.string.flatMap { Int($0) } ?? $0.integer
        }
        return (items, next)
    }

    fileprivate func incomplete(_ missing: Int, of listed: Int) -> LatchError {
        LatchError(
            .serverRefused,
            "The library could not be listed completely: \(account.serverURL) lists pictures of one moment in a "
                + "different order each time, and \(missing) of \(listed) could not be found. Run the "
                + "command again, or select albums with --album.")
    }
}
