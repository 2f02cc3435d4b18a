import HTTPMessages
import LatchKit

/// A picture in a share: its id, and the query that gives access to it.
///
/// Source: Immich 3.1, `web/src/lib/route.ts`; `SharedLinkController`, `key` and `slug`.
struct SharedPicture: Sendable, Equatable {
    /// The picture's id.
    let id: String
    /// `key=…` or `slug=…`, which is a secret.
    let query: String

    /// Parses the address of a shared picture's page (`/share/KEY/photos/ID`, `/s/SLUG/photos/ID`), or of its file
    /// (`/api/assets/ID/original?key=KEY`). Returns nil for any other path.
    init?(_ path: String) {
        let (bare, query) = SealedQuery.splitQuery(path) ?? (path, "")
        let parts = bare.split(separator: "/").map(String.init)
        guard parts.count == 4 else { return nil }
        switch (parts[0], parts[1], parts[2], parts[3]) {
        case ("share", let key, "photos", let id): (self.id, self.query) = (id, "key=\(key)")
        case ("s", let slug, "photos", let id): (self.id, self.query) = (id, "slug=\(slug)")
        case ("api", "assets", let id, "original"): (self.id, self.query) = (id, query)
        default: return nil
        }
        guard ImmichAssetReading.isID(id), self.query.hasPrefix("key=") || self.query.hasPrefix("slug=") else {
            return nil
        }
    }

    /// Whether a path is the page of a share with all its pictures.
    static func isWhole(_ path: String) -> Bool {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        return parts.count == 2 && ["share", "s"].contains(parts[0])
    }
}

extension ImmichLibrary {
    /// Returns the tasks of a picture in a share, which may belong to another person.
    func shared(_ picture: SharedPicture) async throws -> [DownloadTask] {
        let path = "\(reading.api)/assets/\(picture.id.lowercased())?\(picture.query)"
        let response = try await session.client.send(.get, path, headers: Self.headers)
        guard response.status.isSuccess, let asset = try? JSONValue(parsing: response.body) else {
            let error = refusal(response, "The shared picture \(picture.id) could not be found")
            // The server may repeat the key of the share in its message.
            throw LatchError(error.code, SealedQuery.masked(error.message, of: path))
        }
        return try await tasks(of: [asset], includesHidden: true).map { task in
            var task = task
            task.url += "?" + picture.query
            return task
        }
    }
}
