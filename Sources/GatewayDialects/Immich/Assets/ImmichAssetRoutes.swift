import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary

/// The routes of the Immich dialect for photos and videos: search, details and download.
///
/// A person can access their own assets and shared ones. For any other asset the response is the same as for one that
/// does not exist, so that callers cannot detect other people's files.
///
/// Source: docs/protocols/immich.md, Assets and Files; DL-3, DL-6, IM-15.
struct ImmichAssetRoutes: Sendable {
    let services: GatewayServices
    let access: ImmichAccess
    let routing: ImmichRouting
    /// The asset library; nil when none is configured, and then no person has any assets.
    let library: AssetLibrary?

    /// Where nginx has the files; nil when the gateway sends them all.
    var internalLocation: InternalLocation? {
        services.settings.immich.internalLocation.map { InternalLocation(path: $0, proxies: services.proxies) }
    }

    /// The maximum size of a body with asset ids, in bytes. It has room for about 25,000 ids.
    static let maximumBodyBytes = 1 << 20

    func add(to router: inout Router) {
        addFiles(to: &router)
        addSearch(to: &router)
        addAlbums(to: &router)
        addDownload(to: &router)
        addTimeline(to: &router)
    }

    /// Returns the person who makes a request and whether their session is unlocked.
    func viewer(of request: ServerRequest) async throws -> AssetViewer {
        let caller = try await access.caller(of: request)
        return AssetViewer(person: caller.person, isElevated: caller.isElevated)
    }

    /// Returns the asset with this id if the viewer can access it.
    func find(_ id: UUID, for viewer: AssetViewer) async throws -> Asset? {
        try await library?.store.find(id, for: viewer.owners, isElevated: viewer.isElevated)
    }

    /// Returns the refusal for an asset that does not exist or is not the caller's. Both cases look the same to the
    /// caller.
    static func noAccess(_ permission: String) -> ImmichRefusal {
        ImmichRefusal(.badRequest, "Not found or no \(permission) access")
    }
}

/// A person who views assets.
struct AssetViewer: Sendable {
    let person: Person
    /// Whether the session is unlocked and may see locked assets.
    let isElevated: Bool

    var owners: AssetOwners { AssetOwners(person) }
}
