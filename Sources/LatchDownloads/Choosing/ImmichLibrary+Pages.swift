import FoundationEssentials
import HTTPMessages
import LatchKit

extension ImmichLibrary {
    /// The moment at which the next search begins, and the pictures found near it.
    private struct Place {
        var from: Date?
        var recent: [String: Date] = [:]
        /// How many listed pictures could not be found, and how many entries the pages with them had.
        var missing = 0
        var listed = 0
    }

    /// By how many seconds each search overlaps with the one before. Servers know times more precisely than they report
    /// them.
    private static let overlap = 0.002

    /// How many times the pages are read again without a new picture while entries of unknown pictures remain.
    private static let patience = 32

    /// Passes on everything that a search finds, each picture once, oldest first and a page at a time.
    ///
    /// A page is requested by the time of the last picture before it, not by its number. A deletion would otherwise
    /// move all later pages up, and the first pictures of the next page would be on none. Page numbers are used only
    /// when a page is full of pictures of one moment, or the server uses another order. Such pages are read again until
    /// they have nothing new and the number of pictures found equals the number of entries. A server may list the
    /// pictures of one moment in a different order at each request.
    ///
    /// - Throws: `LatchError.Code.serverRefused` when some pictures of one moment cannot be found. All others are
    ///   passed on before, including those of later moments.
    func pages(_ query: [JSONValue.Member], _ take: ([JSONValue]) async throws -> Void) async throws {
        let asked = query.first { $0.name == "takenAfter" }?.value.string
        var place = Place(from: asked.flatMap(ServerTime.date))
        repeat {} while try await takeSlice(query, &place, take)
        guard place.missing > 0 else { return }
        throw LatchError(
            .serverRefused,
            "The library could not be listed completely: \(account.serverURL) lists pictures of one moment in a "
                + "different order each time, and \(place.missing) of \(place.listed) could not be found. Run the "
                + "command again, or select albums with --album.")
    }

    /// Passes on what a search finds until a page contains a later moment.
    ///
    /// - Returns: Whether there is more, beginning with that moment.
    private func takeSlice(
        _ query: [JSONValue.Member], _ place: inout Place, _ take: ([JSONValue]) async throws -> Void
    ) async throws -> Bool {
        var (page, isNew, times, turns) = (1, false, [Date](), 0)
        while true {
            let (items, next) = try await ask(query, from: place.from, page: page)
            let fresh = items.filter { Self.note($0, in: &place) }
            isNew = isNew || fresh.contains { ImmichAssetReading.id($0) != nil }
            times += Self.times(items)
            if !fresh.isEmpty { try await take(fresh) }
            let later = Self.later(items, than: place.from)
            if let next, next > page, !items.isEmpty, later == nil {
                page = next
                continue
            }
            // The next slice requests later pictures again.
            let range = (place.from ?? .distantPast)...max(place.from ?? .distantPast, later ?? .distantFuture)
            let listed = times.count { range.contains($0) }
            let missing = listed - place.recent.values.count { range.contains($0) }
            if page > 1, isNew || missing > 0 && turns < Self.patience {
                turns = isNew ? 0 : turns + 1
                (page, isNew, times) = (1, false, [])
                continue
            }
            if page > 1, missing > 0 {
                place.missing += missing
                place.listed += listed
            }
            guard let later, next != nil else { return false }
            place.from = later
            place.recent = place.recent.filter { $0.value >= later - Self.overlap }
            return true
        }
    }

    /// The times at which the pictures of a page were taken, one for each picture.
    private static func times(_ items: [JSONValue]) -> [Date] {
        let pairs = items.compactMap { item in
            ImmichAssetReading.id(item).map { ($0, ImmichAssetReading.taken(item) ?? .distantFuture) }
        }
        return Array(Dictionary(pairs) { first, _ in first }.values)
    }

    /// Records a picture. Returns whether it is new.
    private static func note(_ asset: JSONValue, in place: inout Place) -> Bool {
        guard let id = ImmichAssetReading.id(asset) else { return true }
        return place.recent.updateValue(ImmichAssetReading.taken(asset) ?? .distantFuture, forKey: id) == nil
    }

    /// Returns the moment from which all pictures after a page were taken. Nil when the page does not tell.
    private static func later(_ items: [JSONValue], than from: Date?) -> Date? {
        let times = items.compactMap(ImmichAssetReading.taken)
        guard times.count == items.count, zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }), let last = times.last,
            last - overlap > from ?? .distantPast
        else { return nil }
        return last - overlap
    }

    private func ask(
        _ query: [JSONValue.Member], from: Date?, page: Int
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
        let answer = try await session.client.send(
            .post, "\(reading.api)/search/metadata", headers: Self.headers, body: JSONValue.object(query).encoded())
        guard answer.status.isSuccess, let found = try? JSONValue(parsing: answer.body)["assets"],
            let items = found["items"]?.array
        else { throw refusal(answer, "The library could not be searched") }
        let next = found["nextPage"].flatMap {
            $0.string.flatMap { Int($0) } ?? $0.integer
        }
        return (items, next)
    }
}
