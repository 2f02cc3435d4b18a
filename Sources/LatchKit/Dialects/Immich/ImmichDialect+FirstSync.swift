import HTTPClient
import HTTPMessages

extension ImmichDialect: FirstSyncDialect {
    /// Requests `GET /server/about`, `/albums` and `/assets/statistics`. A request that fails is not
    /// repeated.
    ///
    /// Source: IM-6; docs/protocols/immich.md, Server information.
    package func firstSync(with client: AuthorizedClient) async throws -> FirstSync {
        var sync = FirstSync()
        async let about = ask("/server/about", client)
        async let albums = ask("/albums", client)
        async let statistics = ask("/assets/statistics", client)
        sync.version = try await Self.json(about)?["version"]?.string
        sync.albums = try await Self.json(albums)?.array?.count
        let counts = try await Self.json(statistics)
        sync.photographs = counts?["images"]?.integer
        sync.videos = counts?["videos"]?.integer
        return sync
    }

    private func ask(_ path: String, _ client: AuthorizedClient) async throws -> ClientResponse? {
        let question = request(.get, path)
        do {
            let response = try await client.send(question)
            return response.status.isSuccess ? response : nil
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            return nil
        }
    }

    private static func json(_ response: ClientResponse?) -> JSONValue? {
        response.flatMap { try? JSONValue(parsing: $0.body) }
    }
}
