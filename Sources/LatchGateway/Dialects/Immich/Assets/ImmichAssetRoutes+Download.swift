import FoundationEssentials
import HTTPServer
import Wire

extension ImmichAssetRoutes {
    /// How large an archive may become when nothing is said: 4 GiB.
    static let archiveSize = 4 << 30

    func addDownload(to router: inout Router) {
        routing.on(.post, "/download/info", maximumBodyBytes: Self.maximumBodyBytes, to: &router) { request in
            try await plan(request)
        }
        routing.on(.post, "/download/archive", maximumBodyBytes: Self.maximumBodyBytes, to: &router) { request in
            try await archive(request)
        }
    }

    /// How what is asked for comes apart into archives.
    ///
    /// An archive is closed by the file that makes it larger than wished. The films that move with photographs come after
    /// everything else.
    ///
    /// Source: contract of Immich, b.22.
    private func plan(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        var body = ImmichBody(request)
        let (ids, album, user) = (body.ids("assetIds"), body.id("albumId"), body.id("userId"))
        let limit = body.optionalNumber("archiveSize", atLeast: 1) ?? Self.archiveSize
        try body.check()
        let stills: [Asset]
        if let ids {
            stills = try await all(ids, for: viewer)
        } else if let album {
            stills = try await members(of: album, for: viewer)
        } else if let user {
            guard user == viewer.person.id else { throw Self.noAccess("timeline.download") }
            stills = try await members(of: nil, for: viewer)
        } else {
            throw ImmichRefusal(.badRequest, "assetIds, albumId, or userId is required")
        }
        var seen: Set<UUID> = []
        let motions = try await find(
            stills.compactMap(\.motion).filter { seen.insert($0).inserted }, for: viewer)
        let files = stills + motions
        let bytes = try await BlockingWork.run { _ in JSON.encode(Self.plan(files, limit)) }
        return ServerResponse(status: .created, headers: ImmichAnswers.privateHeaders, body: .bytes(bytes))
    }

    private static func plan(_ files: [Asset], _ limit: Int) -> ImmichDownloadPlan {
        var archives: [ImmichDownloadPlan.Archive] = []
        var current = ImmichDownloadPlan.Archive()
        for file in files {
            current.assetIds.append(ImmichAssetAnswers.text(file.id))
            current.size += file.file.size
            guard current.size > limit else { continue }
            archives.append(current)
            current = ImmichDownloadPlan.Archive()
        }
        if !current.assetIds.isEmpty { archives.append(current) }
        return ImmichDownloadPlan(archives)
    }

    /// The files as one ZIP, written while the client reads.
    ///
    /// A file that is gone from the disk by then is left out, as a client cannot do anything about it.
    private func archive(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        var body = ImmichBody(request)
        let ids = body.ids("assetIds")
        if !body.has("assetIds") {
            body.refuse("assetIds", "Invalid input: expected array, received undefined", "invalid_type")
        }
        _ = body.optionalTruth("edited")
        try body.check()
        let assets = try await all(ids ?? [], for: viewer)
        return ServerResponse(
            headers: ["Content-Type": "application/octet-stream", "Cache-Control": "no-store"],
            body: try await library?.archive(of: assets) ?? ZIPArchive.stream([]))
    }

    private func all(_ ids: [UUID], for viewer: AssetViewer) async throws -> [Asset] {
        var seen: Set<UUID> = []
        let wanted = ids.filter { seen.insert($0).inserted }
        let found = try await find(wanted, for: viewer)
        guard found.count == wanted.count else { throw Self.noAccess("asset.download") }
        return found
    }

    private func members(of album: UUID?, for viewer: AssetViewer) async throws -> [Asset] {
        guard let library else { return [] }
        if let album, try await library.store.album(album, for: viewer.owners) == nil {
            throw Self.noAccess("album.download")
        }
        return try await library.store.search(AssetQuery(album: album, count: .max - 1), for: viewer.owners).assets
    }
}
