import HTTPMessages
import LatchKit

extension ImmichLibrary {
    /// An album as the server lists it.
    struct Album: Sendable {
        var id: String
        var name: String
        var count: Int
    }

    /// Passes on everything in an album that matches a selection, including what other people added.
    func take(
        _ album: Album, _ selection: DownloadSelection, _ take: ([DownloadTask]) async throws -> Void
    ) async throws {
        let version = try await version()
        guard version.searchesAlbums else { return try await takeOld(album, selection, take) }
        var (seen, count): (Set<String>, Int) = ([], 0)
        try await search([.init("albumIds", .array([.string(album.id)]))], version) { assets in
            for asset in assets {
                seen.formUnion([ImmichAssetReading.id(asset), ImmichAssetReading.film(of: asset)].compactMap { $0 })
            }
            count += assets.count
            try await take(try await tasks(of: assets.filter { fits($0, selection) }))
        }
        // A search finds only the person's own pictures; an album may also hold those of others.
        if count < album.count { try await takeOthers(album, selection, besides: seen, take) }
    }

    /// Requests the ids that an archive of the album would have, then each asset that the search has not found.
    private func takeOthers(
        _ album: Album, _ selection: DownloadSelection, besides seen: Set<String>,
        _ take: ([DownloadTask]) async throws -> Void
    ) async throws {
        let body = JSONValue.object([.init("albumId", .string(album.id))]).encoded()
        let answer = try await session.client.send(
            .post, "\(reading.api)/download/info", headers: Self.headers, body: body)
        guard answer.status.isSuccess, let archives = try? JSONValue(parsing: answer.body)["archives"]?.array else {
            throw refusal(answer, "The album '\(album.name)' could not be listed")
        }
        let ids = archives.flatMap { $0["assetIds"]?.array ?? [] }.compactMap { $0.string?.lowercased() }
        for id in ids where !seen.contains(id) && ImmichAssetReading.isID(id) {
            let answer = try await session.client.send(.get, "\(reading.api)/assets/\(id)", headers: Self.headers)
            // The asset was deleted meanwhile, or its owner no longer shares it.
            if [400, 403].contains(answer.status.rawValue) { continue }
            if answer.status == .notFound, await maintenance.finding(at: session, of: account) == .atWork { continue }
            guard answer.status.isSuccess, let asset = try? JSONValue(parsing: answer.body) else {
                throw refusal(answer, "A picture that others added to the album '\(album.name)' could not be read")
            }
            if fits(asset, selection) { try await take(try await tasks(of: [asset])) }
        }
    }

    /// Passes on an album of a version before 2, where the album response contains the pictures and a search cannot
    /// filter by album.
    private func takeOld(
        _ album: Album, _ selection: DownloadSelection, _ take: ([DownloadTask]) async throws -> Void
    ) async throws {
        let path = "\(reading.api)/albums/\(PercentEncoding.encode(album.id))?withoutAssets=false"
        let answer = try await session.client.send(.get, path, headers: Self.headers)
        guard answer.status.isSuccess, let assets = try? JSONValue(parsing: answer.body)["assets"]?.array else {
            throw refusal(answer, "The album '\(album.name)' could not be listed")
        }
        let fitting = assets.filter { fits($0, selection) }
        for start in stride(from: 0, to: fitting.count, by: Self.pageSize) {
            try await take(try await tasks(of: Array(fitting[start..<min(start + Self.pageSize, fitting.count)])))
        }
    }

    private func fits(_ asset: JSONValue, _ selection: DownloadSelection) -> Bool {
        selection.isFor(taken: ImmichAssetReading.taken(asset), isFavourite: asset["isFavorite"]?.bool == true)
    }

    // MARK: - Which album

    /// Finds the album with a name or id.
    func album(_ text: String) async throws -> Album {
        let albums = try await albums()
        if let album = albums.first(where: { $0.id == text.lowercased() }) { return album }
        var fitting = albums.filter { $0.name == text }
        if fitting.isEmpty { fitting = albums.filter { $0.name.lowercased() == text.lowercased() } }
        if fitting.count == 1 { return fitting[0] }
        throw LatchError(
            .invalidRequest,
            fitting.isEmpty
                ? "There is no album '\(text)' at \(account.serverURL). \(Self.near(text, albums))"
                : "Several albums are called '\(text)'. Give the id of one: "
                    + fitting.map(\.id).joined(separator: ", ") + ".")
    }

    /// Returns the person's own albums, and those that others share with them.
    private func albums() async throws -> [Album] {
        var found: [String: Album] = [:]
        for path in ["/albums", "/albums?shared=true"] {
            let answer = try await session.client.send(.get, reading.api + path, headers: Self.headers)
            guard answer.status.isSuccess, let albums = (try? JSONValue(parsing: answer.body))?.array else {
                throw refusal(answer, "The albums could not be listed")
            }
            for album in albums {
                guard let id = album["id"]?.string?.lowercased(), ImmichAssetReading.isID(id) else { continue }
                let count = album["assetCount"]?.integer ?? .max
                found[id] = Album(id: id, name: album["albumName"]?.string ?? "", count: count)
            }
        }
        return found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Returns a sentence with the albums that a person may have meant.
    private static func near(_ text: String, _ albums: [Album]) -> String {
        let names = albums.map(\.name).filter { !$0.isEmpty }
        guard !names.isEmpty else { return "There are no albums." }
        let near = names.filter { NameSimilarity.isNear($0, text) }
        let shown = (near.isEmpty ? names : near).prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        let more = near.isEmpty && names.count > 8 ? " and \(names.count - 8) more" : ""
        return near.isEmpty ? "The albums are \(shown)\(more)." : "Did you mean \(shown)?"
    }
}
