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
            // The query of an address may hold a secret, so the message leaves it out.
            throw LatchError(
                .invalidRequest,
                "'\(id.prefix { $0 != "?" }.prefix(60))' is neither the id of a picture, as in the URL of its page, "
                    + "nor a path, which begins with '/'.")
        }
        let path = "\(reading.api)/assets/\(id.lowercased())"
        let response = try await session.client.send(.get, path, headers: Self.headers)
        guard response.status.isSuccess, let asset = try? JSONValue(parsing: response.body) else {
            throw refusal(response, "The picture \(id) could not be found")
        }
        return try await tasks(of: [asset], includesHidden: true)
    }

    /// Returns the release of the server. When the server does not tell, the newest one is assumed.
    func version() async throws -> ImmichRelease {
        let response = try await session.client.send(.get, reading.api + "/server/version", headers: Self.headers)
        return response.status.isSuccess
            ? ImmichRelease((try? JSONValue(parsing: response.body)) ?? .null) : ImmichRelease(.null)
    }

    /// Returns what is known about the videos of live photos, from a list of the hidden assets. Nil when the server
    /// does not list them; each video is then requested by itself, which takes one request per live photo.
    func videos(_ filters: ImmichPages.Query, _ version: ImmichRelease) async throws -> LiveVideoIndex? {
        var videos = LiveVideoIndex()
        let hidden: JSONValue.Member =
            version.knowsVisibility ? .init("visibility", "hidden") : .init("isVisible", false)
        do {
            for try await assets in ImmichPages(library: self, queries: [filters + [hidden]]) {
                for asset in assets { videos.add(asset, reading) }
            }
        } catch let error as LatchError where error.code == .serverRefused {
            return nil
        }
        return videos
    }

    /// Returns the tasks of assets. The videos of live photos are requested one by one.
    func tasks(of assets: [JSONValue], includesHidden: Bool = false) async throws -> [DownloadTask] {
        let ids = assets.compactMap(ImmichAssetReading.video)
        var videos: [String: LiveVideoFacts] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.concurrency) {
            let some = ids[start..<min(start + Self.concurrency, ids.count)]
            try await withThrowingTaskGroup(of: (String, LiveVideoFacts?).self) { group in
                for id in some { group.addTask { (id, try await self.video(id)) } }
                for try await (id, facts) in group { videos[id] = facts }
            }
        }
        return assets.flatMap { asset in
            reading.tasks(
                asset, video: ImmichAssetReading.video(of: asset).flatMap { videos[$0] },
                includesHidden: includesHidden)
        }
    }

    /// Returns nil when the server does not tell. The video is fetched nevertheless.
    private func video(_ id: String) async throws -> LiveVideoFacts? {
        let response = try await session.client.send(.get, "\(reading.api)/assets/\(id)", headers: Self.headers)
        guard response.status.isSuccess, let asset = try? JSONValue(parsing: response.body) else { return nil }
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
        if let date = selection.changedAfter { query.append(.init("updatedAfter", .string(text(date)))) }
        return query
    }

    /// Returns the error for an unexpected response.
    func refusal(_ response: ClientResponse, _ what: String) -> LatchError {
        let message = session.dialect.errorMessage(in: response) ?? "status \(response.status)"
        return LatchError(
            response.status.rawValue >= 500 ? .serverError : .serverRefused,
            "\(what): \(account.serverURL) says: \(message.prefix(200)).")
    }

    static let headers: HTTPHeaders = ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType]

    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
