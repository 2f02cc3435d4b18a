import HTTPClient
import HTTPMessages

extension ImmichDialect: FirstSyncDialect {
    /// Requests `GET /server/about`, `/albums` and `/assets/statistics`. A request that fails is not
    /// repeated here.
    ///
    /// Source: IM-6; docs/protocols/immich.md, Server information.
    package func firstSync(with client: AuthorizedClient, each bound: Duration) async throws -> FirstSync {
        var sync = FirstSync()
        async let about = ask("/server/about", client, within: bound)
        async let albums = ask("/albums", client, within: bound)
        async let statistics = ask("/assets/statistics", client, within: bound)
        sync.version = try await Self.json(about)?["version"]?.string
        sync.albums = try await Self.json(albums)?.array?.count
        let counts = try await Self.json(statistics)
        sync.photographs = counts?["images"]?.integer
        sync.videos = counts?["videos"]?.integer
        return sync
    }

    private func ask(
        _ path: String, _ client: AuthorizedClient, within bound: Duration
    ) async throws -> ClientResponse? {
        let question = request(.get, path)
        return try await withThrowingTaskGroup(of: ClientResponse?.self) { group in
            group.addTask {
                do {
                    let response = try await client.send(question)
                    return response.status.isSuccess ? response : nil
                } catch let error as LatchError where error.code.leavesSessionUnknown {
                    return nil
                }
            }
            group.addTask {
                try await Task.sleep(for: bound)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private static func json(_ response: ClientResponse?) -> JSONValue? {
        response.flatMap { try? JSONValue(parsing: $0.body) }
    }
}
