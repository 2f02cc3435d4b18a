import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary

extension ImmichAssetRoutes {
    /// The default maximum size of an archive, in bytes: 4 GiB.
    static let archiveSize = 4 << 30

    func addDownload(to router: inout Router) {
        routing.on(.post, "/download/info", maximumBodyBytes: Self.maximumBodyBytes, to: &router) { request in
            try await plan(request)
        }
        routing.on(.post, "/download/archive", maximumBodyBytes: Self.maximumBodyBytes, to: &router) { request in
            try await archive(request)
        }
    }

    /// Divides the requested files into archives.
    ///
    /// An archive ends with the file that exceeds the requested size, or after 5,000 files. The videos of live photos come after all other
    /// files. The response is written while the database is read, so that it needs the memory of one page for a library
    /// of any size.
    ///
    /// Source: docs/protocols/immich.md, Archives.
    private func plan(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        let (ids, album, user, limit) = try await ImmichBody.read(request) { body in
            (
                body.ids("assetIds"), body.id("albumId"), body.id("userId"),
                body.optionalNumber("archiveSize", atLeast: 1) ?? Self.archiveSize
            )
        }
        let place = library?.plans.take(for: viewer.owners.id)
        guard library == nil || place != nil else {
            throw GatewayError(
                .busy,
                "\(AssetLibrary.maximumPlans) lists of archives are being sent to you; try again when one is complete.")
        }
        var pages: AssetPages
        if let ids {
            pages = try await chosen(ids, for: viewer)
        } else if let album {
            pages = try await members(of: album, for: viewer)
        } else if let user {
            guard user == viewer.person.id else { throw Self.noAccess("timeline.download") }
            pages = try await members(of: nil, for: viewer)
        } else {
            throw ImmichRefusal(.badRequest, "assetIds, albumId, or userId is required")
        }
        // Reads the first page before the response begins, so that a database error can still change the status.
        let first = try await pages.next()
        return ServerResponse(
            status: .created, headers: .privateJSON,
            body: .stream(length: nil) { [pages, place] writer in
                defer { place?.leave() }
                var (pages, page, text) = (pages, first, ImmichPlanText(limit: limit))
                while let parts = page {
                    for part in parts { text.add(part) }
                    try await writer.write(text.drain())
                    page = try await pages.next()
                }
                try await writer.write(text.end())
            })
    }

    /// Streams the files as one ZIP archive.
    ///
    /// A file that no longer exists on disk is left out, because the client cannot do anything about it.
    private func archive(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        let ids = try await ImmichBody.read(request) { body in
            let ids = body.ids("assetIds")
            if !body.has("assetIds") {
                body.refuse(
                    "assetIds", message: "Invalid input: expected array, received undefined", code: "invalid_type")
            }
            _ = body.optionalBool("edited")
            return ids
        }
        var seen: Set<UUID> = []
        let wanted = (ids ?? []).filter { seen.insert($0).inserted }
        guard wanted.count <= AssetLibrary.maximumArchiveFiles else {
            throw ImmichRefusal(
                .badRequest,
                "An archive has at most \(AssetLibrary.maximumArchiveFiles) files. Divide them with /download/info.")
        }
        let archive = try await library?.archive(of: wanted, for: viewer.owners, isElevated: viewer.isElevated)
        guard let body = archive ?? (wanted.isEmpty ? ZIPArchive([]).stream() : nil) else {
            throw Self.noAccess("asset.download")
        }
        return ServerResponse(
            headers: ["Content-Type": "application/octet-stream", "Cache-Control": "no-store"], body: body)
    }

    /// Returns the photos with these ids, then their videos.
    private func chosen(_ ids: [UUID], for viewer: AssetViewer) async throws -> AssetPages {
        var seen: Set<UUID> = []
        let wanted = ids.filter { seen.insert($0).inserted }
        guard let library else {
            guard wanted.isEmpty else { throw Self.noAccess("asset.download") }
            return AssetPages([])
        }
        let stills = try await library.store.parts(wanted, for: viewer.owners, isElevated: viewer.isElevated)
        guard stills.count == wanted.count else { throw Self.noAccess("asset.download") }
        let videos = stills.compactMap(\.motion).filter { seen.insert($0).inserted }
        return AssetPages([
            stills, try await library.store.parts(videos, for: viewer.owners, isElevated: viewer.isElevated),
        ])
    }

    private func members(of album: UUID?, for viewer: AssetViewer) async throws -> AssetPages {
        guard let library else { return AssetPages([]) }
        if let album, try await library.store.album(album, for: viewer.owners) == nil {
            throw Self.noAccess("album.download")
        }
        return AssetPages(of: album, for: viewer.owners, in: library.store)
    }
}
