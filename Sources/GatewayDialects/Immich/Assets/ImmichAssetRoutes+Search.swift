import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary
import ServerMessages

extension ImmichAssetRoutes {
    /// The maximum number of assets on a page.
    static let largestPage = 1_000

    func addSearch(to router: inout Router) {
        routing.on(.post, "/search/metadata", maximumBodyBytes: Self.maximumBodyBytes, to: &router) { request in
            try await search(request)
        }
        routing.on(.post, "/search/smart", to: &router) { request in
            _ = try await viewer(of: request)
            throw ImmichRefusal(.badRequest, "Smart search is not enabled")
        }
        routing.on(.get, "/search/person", to: &router) { request in
            _ = try await viewer(of: request)
            return ServerResponse.privateJSON([JSONValue]())
        }
        routing.on(.get, "/assets/statistics", to: &router) { request in
            try await statistics(request)
        }
        routing.on(.get, "/server/statistics", to: &router) { request in
            try await serverStatistics(request)
        }
    }

    private func search(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        let search = try await ImmichBody.read(request) { ImmichSearchQuery(&$0) }
        try Self.check(search.query.visibility, for: viewer)
        guard let library, !search.findsNothing else {
            return ServerResponse.privateJSON(ImmichSearchResponse([], nextPage: nil))
        }
        let bytes = try await library.store.search(search.query, for: viewer.owners) { found, hasMore in
            // Encoding a long page takes too long for an event loop.
            try await library.work.run { _ in
                let assets = found.map { ImmichAssetResponses.asset($0, for: viewer, withExif: search.withExif) }
                return JSON.encode(ImmichSearchResponse(assets, nextPage: hasMore ? search.page + 1 : nil))
            }
        }
        return ServerResponse(headers: .privateJSON, body: .bytes(bytes))
    }

    private func statistics(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        try Self.checkBool("isFavorite", in: request)
        try Self.checkBool("isTrashed", in: request)
        try Self.check("visibility", in: request, isOneOf: ImmichSearchQuery.visibilities)
        let visibility = request.query("visibility").flatMap(AssetVisibility.init(rawValue:)) ?? .timeline
        try Self.check(visibility, for: viewer)
        guard let library, request.query("isFavorite") != "true", request.query("isTrashed") != "true" else {
            return ServerResponse.privateJSON(ImmichAssetStatistics(images: 0, videos: 0))
        }
        let (images, videos) = try await library.store.statistics(for: viewer.owners, visibility: visibility)
        return ServerResponse.privateJSON(ImmichAssetStatistics(images: images, videos: videos))
    }

    /// Throws a 401 for locked assets unless the session is unlocked. This 401 does not mean that the session has
    /// ended: the client must unlock it.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    static func check(_ visibility: AssetVisibility, for viewer: AssetViewer) throws(ImmichRefusal) {
        guard visibility != .locked || viewer.isElevated else {
            throw ImmichRefusal(.unauthorized, "Elevated permission is required")
        }
    }

    private func serverStatistics(_ request: ServerRequest) async throws -> ServerResponse {
        let viewer = try await viewer(of: request)
        guard viewer.person.isAdministrator else { throw ImmichRefusal(.forbidden, "Forbidden") }
        let usage = try await library?.store.usage(for: viewer.owners) ?? []
        let people = try await services.people.list()
        let entries = people.map { person -> ImmichServerStatistics.Usage in
            let owners = AssetOwners(person)
            let own = usage.filter { $0.owner == owners.email || $0.owner == owners.id }
            return .init(
                userId: owners.id, userName: person.name ?? "", photos: own.reduce(0) { $0 + $1.images },
                videos: own.reduce(0) { $0 + $1.videos }, usagePhotos: own.reduce(0) { $0 + $1.imageBytes },
                usageVideos: own.reduce(0) { $0 + $1.videoBytes })
        }
        return ServerResponse.privateJSON(ImmichServerStatistics(entries))
    }
}
