import HTTPMessages
import LatchKit

extension ImmichLibrary {
    /// Returns the tasks of everything in an album that matches a selection, a page at a time.
    func pages(of album: LibraryAlbum, _ selection: DownloadSelection) -> ImmichAlbumPages {
        ImmichAlbumPages(library: self, album: album, selection: selection)
    }

    /// Returns the ids that an archive of the album would have. They include the pictures that others added.
    func ids(in album: LibraryAlbum) async throws -> [String] {
        let body = JSONValue.object([.init("albumId", .string(album.id))]).encoded()
        let response = try await session.client.send(
            .post, "\(reading.api)/download/info", headers: Self.headers, body: body)
        guard response.status.isSuccess, let archives = try? JSONValue(parsing: response.body)["archives"]?.array else {
            throw refusal(response, "The album '\(album.name)' could not be listed")
        }
        return archives.flatMap { $0["assetIds"]?.array ?? [] }.compactMap { $0.string?.lowercased() }
            .filter(ImmichAssetReading.isID)
    }

    /// Returns a picture that another person added to an album. Nil when it was deleted meanwhile, or its owner no
    /// longer shares it.
    func othersAsset(_ id: String, in album: LibraryAlbum) async throws -> JSONValue? {
        let response = try await session.client.send(.get, "\(reading.api)/assets/\(id)", headers: Self.headers)
        if [400, 403].contains(response.status.rawValue) { return nil }
        // In maintenance, everything gets 404, so a 404 alone does not mean that the picture is gone.
        if response.status == .notFound, await maintenance.maintenanceState(at: session, of: account) == .atWork {
            return nil
        }
        guard response.status.isSuccess, let asset = try? JSONValue(parsing: response.body) else {
            throw refusal(response, "A picture that others added to the album '\(album.name)' could not be read")
        }
        return asset
    }

    /// Returns the pictures of an album of a version before 2, where the album response contains them and a search
    /// cannot filter by album.
    func assets(in album: LibraryAlbum) async throws -> [JSONValue] {
        let path = "\(reading.api)/albums/\(PercentEncoding.encode(album.id))?withoutAssets=false"
        let response = try await session.client.send(.get, path, headers: Self.headers)
        guard response.status.isSuccess, let assets = try? JSONValue(parsing: response.body)["assets"]?.array else {
            throw refusal(response, "The album '\(album.name)' could not be listed")
        }
        return assets
    }

    // MARK: - Which album

    /// Finds the album with a name or id. `lastName` is the last known name of an album with an id.
    func album(_ text: String, lastName: String? = nil) async throws -> LibraryAlbum {
        let albums = try await albums()
        if let album = albums.first(where: { $0.id == text.lowercased() }) { return album }
        var fitting = albums.filter { $0.name == text }
        if fitting.isEmpty { fitting = albums.filter { $0.name.lowercased() == text.lowercased() } }
        if fitting.count == 1 { return fitting[0] }
        if fitting.isEmpty, ImmichAssetReading.isID(text.lowercased()) {
            let album = lastName.map { "The album '\($0)' no longer exists" } ?? "The album '\(text)' does not exist"
            throw LatchError(
                .invalidRequest,
                "\(album) at \(account.serverURL), or is not shared with you any more. \(Self.list(albums.map(\.name)))"
            )
        }
        throw LatchError(
            .invalidRequest,
            fitting.isEmpty
                ? "There is no album '\(text)' at \(account.serverURL). \(Self.near(text, albums))"
                : "Several albums are called '\(text)'. Give the id of one: "
                    + fitting.map(\.id).joined(separator: ", ") + ".")
    }

    /// Returns the person's own albums, and those that others share with them.
    func albums() async throws -> [LibraryAlbum] {
        var found: [String: LibraryAlbum] = [:]
        for path in ["/albums", "/albums?shared=true"] {
            let response = try await session.client.send(.get, reading.api + path, headers: Self.headers)
            guard response.status.isSuccess, let albums = (try? JSONValue(parsing: response.body))?.array else {
                throw refusal(response, "The albums could not be listed")
            }
            for album in albums {
                guard let id = album["id"]?.string?.lowercased(), ImmichAssetReading.isID(id) else { continue }
                found[id] = LibraryAlbum(
                    id: id, name: album["albumName"]?.string ?? "",
                    count: album["assetCount"]?.integer.flatMap { $0 >= 0 ? $0 : nil },
                    cover: PictureID(text: album["albumThumbnailAssetId"]?.string))
            }
        }
        return found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Returns a sentence with the albums that a person may have meant.
    private static func near(_ text: String, _ albums: [LibraryAlbum]) -> String {
        let names = albums.map(\.name).filter { !$0.isEmpty }
        let near = names.filter { NameSimilarity.isNear($0, text) }
        return near.isEmpty ? list(names) : "Did you mean \(quoted(near))?"
    }

    /// Returns a sentence with the first albums.
    private static func list(_ names: [String]) -> String {
        let names = names.filter { !$0.isEmpty }
        guard !names.isEmpty else { return "There are no albums." }
        return "The albums are \(quoted(names))\(names.count > 8 ? " and \(names.count - 8) more" : "")."
    }

    private static func quoted(_ names: [String]) -> String {
        names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    }
}
