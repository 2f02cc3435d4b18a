import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary
import ServerMessages

/// The timeline: how many assets each month has, and the assets of a month.
///
/// Source: docs/protocols/immich.md, Timeline.
extension ImmichAssetRoutes {
    func addTimeline(to router: inout Router) {
        routing.on(.get, "/timeline/buckets", to: &router) { request in
            let (viewer, query) = try await timeline(request)
            guard let query, let library else { return ServerResponse.privateJSON([JSONValue]()) }
            let months = try await library.store.months(query, for: viewer.owners)
            return ServerResponse.privateJSON(months.map { ImmichTimeBucket(timeBucket: $0.day, count: $0.count) })
        }
        routing.on(.get, "/timeline/bucket", to: &router) { request in
            let (viewer, query) = try await timeline(request)
            guard let text = request.query("timeBucket") else {
                throw Self.invalid("timeBucket", "Invalid input: expected string, received undefined", "invalid_type")
            }
            // Apps send the day alone or with the time after it.
            let day = String(text.prefix(10))
            guard Timestamp.date(day + "T00:00:00Z") != nil else {
                throw Self.invalid("timeBucket", "Invalid ISO date", "invalid_format")
            }
            var assets: [TimelineAsset] = []
            var place: ResponsePlaces.Place?
            if let query, let library {
                place = library.months.take(for: viewer.owners.id)
                guard place != nil else {
                    throw GatewayError(
                        .busy,
                        "\(AssetLibrary.maximumMonths) months of your timeline are being sent; try again in a moment.")
                }
                assets = try await library.store.assets(of: day, query, for: viewer.owners)
            }
            let body = ImmichTimelineText(assets: assets, viewer: viewer)
            return ServerResponse(
                headers: .privateJSON,
                body: .stream(length: nil) { [place] writer in
                    defer { place?.leave() }
                    try await body.write { try await writer.write($0) }
                })
        }
    }

    /// Reads the parameters that both requests have. The query is nil when no asset here can match.
    private func timeline(_ request: ServerRequest) async throws -> (AssetViewer, TimelineQuery?) {
        let viewer = try await viewer(of: request)
        let flags = ["isFavorite", "isTrashed", "withStacked", "withPartners", "withCoordinates"]
        for name in flags { try Self.checkBool(name, in: request) }
        try Self.check("visibility", in: request, isOneOf: ImmichSearchQuery.visibilities)
        try Self.check("order", in: request, isOneOf: ["asc", "desc"])
        let visibility = request.query("visibility").flatMap(AssetVisibility.init(rawValue:))
        if let visibility { try Self.check(visibility, for: viewer) }
        if let user = try Self.id("userId", in: request), user != viewer.person.id {
            throw Self.noAccess("timeline.read")
        }
        let album = try Self.id("albumId", in: request)
        if let album, try await library?.store.album(album, for: viewer.owners) == nil {
            throw Self.noAccess("album.read")
        }
        let needsOthers = try ["personId", "tagId"].contains { try Self.id($0, in: request) != nil }
        guard !needsOthers, request.query("isFavorite") != "true", request.query("isTrashed") != "true" else {
            return (viewer, nil)
        }
        return (
            viewer,
            TimelineQuery(album: album, visibility: visibility, isAscending: request.query("order") == "asc")
        )
    }

    private static func id(_ name: String, in request: ServerRequest) throws(ImmichRefusal) -> UUID? {
        guard let text = request.query(name) else { return nil }
        guard let id = ImmichRouting.id(text) else { throw invalid(name, "Invalid UUID", "invalid_format") }
        return id
    }

    private static func invalid(_ name: String, _ message: String, _ code: String) -> ImmichRefusal {
        ImmichRefusal([.init(path: [name], message: message, code: code)])
    }
}
