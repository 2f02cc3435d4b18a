import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit

/// The pictures and videos that an Immich server shows to a person, requested a page at a time.
///
/// Source: docs/protocols/immich.md, Lists.
struct ImmichLibrary {
    let account: Account
    let session: Session
    let reading: ImmichAssetReading
    let maintenance = MaintenanceCheck()

    /// The number of pictures in a page, which is the default of Immich. It allows a thousand, but parsing such a page
    /// takes 20 MB.
    static let pageSize = 250
    /// How many videos of live photos are requested at the same time.
    private static let concurrency = 6

    init(_ account: Account, _ session: Session) {
        self.account = account
        self.session = session
        reading = ImmichAssetReading(account: account.id, api: ImmichAssetReading.api(of: account))
    }

    /// Returns the tasks of one picture or video.
    func asset(_ id: String) async throws -> [DownloadTask] {
        guard ImmichAssetReading.isID(id) else {
            throw LatchError(
                .invalidRequest,
                "'\(id.prefix { $0 != "?" }.prefix(60))' is neither the id of a picture, as in the URL of its page, "
                    + "nor a path, which begins with '/'.")
        }
        let path = "\(reading.api)/assets/\(id.lowercased())"
        let answer = try await session.client.send(.get, path, headers: Self.headers)
        guard answer.status.isSuccess, let asset = try? JSONValue(parsing: answer.body) else {
            throw refusal(answer, "The picture \(id) could not be found")
        }
        return try await tasks(of: [asset], isHiddenToo: true)
    }

    /// Returns the release of the server. When the server does not tell, the newest one is assumed.
    func version() async throws -> ImmichRelease {
        let answer = try await session.client.send(.get, reading.api + "/server/version", headers: Self.headers)
        return answer.status.isSuccess
            ? ImmichRelease((try? JSONValue(parsing: answer.body)) ?? .null) : ImmichRelease(.null)
    }

    /// Returns what is known about the videos of live photos, from a list of the hidden assets. Nil when the server
    /// does not list them; each video is then requested by itself, which takes one request per live photo.
    func films(_ filters: ImmichPages.Query, _ version: ImmichRelease) async throws -> KnownFilms? {
        var films = KnownFilms()
        let hidden: JSONValue.Member =
            version.knowsVisibility ? .init("visibility", "hidden") : .init("isVisible", false)
        do {
            for try await assets in ImmichPages(library: self, queries: [filters + [hidden]]) {
                for asset in assets { films.add(asset, reading) }
            }
        } catch let error as LatchError where error.code == .serverRefused {
            return nil
        }
        return films
    }

    /// Returns the tasks of assets. The videos of live photos are requested one by one.
    func tasks(of assets: [JSONValue], isHiddenToo: Bool = false) async throws -> [DownloadTask] {
        let ids = assets.compactMap(ImmichAssetReading.film)
        var films: [String: FilmFacts] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.concurrency) {
            let some = ids[start..<min(start + Self.concurrency, ids.count)]
            try await withThrowingTaskGroup(of: (String, FilmFacts?).self) { group in
                for id in some { group.addTask { (id, try await self.film(id)) } }
                for try await (id, facts) in group { films[id] = facts }
            }
        }
        return assets.flatMap { asset in
            reading.tasks(
                asset, film: ImmichAssetReading.film(of: asset).flatMap { films[$0] }, isHiddenToo: isHiddenToo)
        }
    }

    /// Returns nil when the server does not tell. The video is fetched nevertheless.
    private func film(_ id: String) async throws -> FilmFacts? {
        let answer = try await session.client.send(.get, "\(reading.api)/assets/\(id)", headers: Self.headers)
        guard answer.status.isSuccess, let asset = try? JSONValue(parsing: answer.body) else { return nil }
        return reading.facts(asset)
    }

    /// Returns the search filters for a selection. Immich includes both ends of the period.
    static func filters(_ selection: DownloadSelection) -> ImmichPages.Query {
        var query: ImmichPages.Query = []
        if selection.isFavouritesOnly { query.append(.init("isFavorite", .bool(true))) }
        if let date = selection.takenFrom { query.append(.init("takenAfter", .string(text(date)))) }
        if let date = selection.takenBefore {
            query.append(.init("takenBefore", .string(text(date.addingTimeInterval(-0.001)))))
        }
        return query
    }

    /// Returns the error for an unexpected response.
    func refusal(_ answer: ClientResponse, _ what: String) -> LatchError {
        let words = session.dialect.errorMessage(in: answer) ?? "status \(answer.status)"
        return LatchError(
            answer.status.rawValue >= 500 ? .serverError : .serverRefused,
            "\(what): \(account.serverURL) says: \(words.prefix(200)).")
    }

    static let headers: HTTPHeaders = ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType]

    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
