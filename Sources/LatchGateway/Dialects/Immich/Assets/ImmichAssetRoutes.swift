import FoundationEssentials
import HTTPServer
import Wire

/// The routes of the Immich dialect for photographs and films: listing, looking at, fetching.
///
/// A person reaches their own and those that are everybody's. Whatever else is asked for is not there: nobody learns from
/// an answer that somebody else has it.
///
/// Source: contract of Immich; DL-3, DL-6, IM-15.
struct ImmichAssetRoutes: Sendable {
    let services: GatewayServices
    let access: ImmichAccess
    let routing: ImmichRouting
    /// Nil where no library is configured: then nobody has anything.
    let library: AssetLibrary?

    /// The largest body that names photographs: some 25,000 of them.
    static let maximumBodyBytes = 1 << 20

    init(_ services: GatewayServices, _ routing: ImmichRouting, _ access: ImmichAccess) {
        self.services = services
        self.routing = routing
        self.access = access
        library = services.library
    }

    func add(to router: inout Router) {
        addFiles(to: &router)
        addSearch(to: &router)
        addAlbums(to: &router)
        addDownload(to: &router)
    }

    /// Who asks, and what is theirs.
    func viewer(of request: ServerRequest) async throws -> AssetViewer {
        let caller = try await access.caller(of: request)
        return AssetViewer(person: caller.person, isElevated: caller.isElevated)
    }

    /// The photograph of this id, if the viewer may have it.
    func find(_ id: UUID, for viewer: AssetViewer) async throws -> Asset? {
        try await library?.store.find(id, for: viewer.owners, isElevated: viewer.isElevated)
    }

    /// The photographs of these ids that the viewer may have; fewer than asked for when some are not there.
    func find(_ ids: [UUID], for viewer: AssetViewer) async throws -> [Asset] {
        guard let library else { return [] }
        return try await library.store.find(ids, for: viewer.owners, isElevated: viewer.isElevated)
    }

    /// The refusal of what is not there or not the caller's, which are the same to whoever asks.
    static func noAccess(_ permission: String) -> ImmichRefusal {
        ImmichRefusal(.badRequest, "Not found or no \(permission) access")
    }
}

/// Somebody who looks at photographs.
struct AssetViewer: Sendable {
    let person: Person
    /// Whether what is locked is seen too.
    let isElevated: Bool

    var owners: AssetOwners { AssetOwners(person) }
}
