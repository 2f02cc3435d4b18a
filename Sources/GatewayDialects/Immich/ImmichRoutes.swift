import FoundationEssentials
import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer
import PictureLibrary
import ServerMessages

/// The routes for clients of Immich, compatible with version 3.1.0.
///
/// A value without state. The stores and settings that it uses belong to the gateway.
///
/// Source: docs/protocols/immich.md; IM-3g to IM-12, IM-15, DL-3.
package struct ImmichRoutes: ServiceDialect {
    package let services: GatewayServices
    package let settings: ImmichSettings
    /// The picture library. Nil when none is configured, and then no person has any pictures.
    let library: AssetLibrary?
    let routing: ImmichRouting
    let access: ImmichAccess
    let cookies: ImmichCookies
    /// The limit for provider codes from one address: 60 a minute. It is created once with the gateway.
    let exchanges: RequestLimit
    /// The real-time connections.
    let realTime: ImmichRealTime

    package init(services: GatewayServices) {
        self.services = services
        settings = services.settings.immich
        library = settings.library.map { path in
            AssetLibrary(path: path, database: services.database, log: services.log, now: services.now)
        }
        access = ImmichAccess(services)
        routing = ImmichRouting(
            prefix: settings.prefix, log: services.log, now: services.now, access: access, database: services.database)
        cookies = ImmichCookies(services)
        exchanges = RequestLimit(.perMinute(60), now: services.now)
        realTime = ImmichRealTime(services, library)
    }

    var elevations: ElevationStore { services.elevations }
    package var name: String { "dialects.immich" }
    package var prefix: String { settings.prefix }

    private static let wellKnown = "/.well-known/immich"

    /// Whether the path is the prefix, lies below it, or is the well-known path at the root.
    package func owns(_ path: String) -> Bool {
        prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/") || path == Self.wellKnown
    }

    package func token(of request: ServerRequest) -> String? { try? access.token(of: request) }

    /// Keeps the database of the picture library up to date, and serves the real-time connections.
    package func run(clock: some Clock<Duration>) async {
        await withTaskGroup { group in
            group.addTask { await library?.run(clock: clock) }
            group.addTask { await realTime.run(clock: clock) }
        }
    }

    /// Reads the whole picture library now.
    package func scan() async throws { try await library?.scan() }

    package func invalidateCache() { library?.store.invalidateCache() }

    /// Adds the routes under the prefix. In maintenance mode only the few that report it are added.
    ///
    /// Source: docs/protocols/immich.md, Maintenance mode.
    package func add(to router: inout Router) {
        addServer(to: &router)
        guard !settings.isInMaintenance else { return }
        let root = ImmichRouting(
            prefix: "", log: services.log, now: services.now, access: access, database: services.database)
        root.on(.get, Self.wellKnown, to: &router) { _ in
            ServerResponse.privateJSON(ImmichWellKnown(endpoint: prefix.isEmpty ? "/" : prefix))
        }
        addSignIn(to: &router)
        addPassword(to: &router)
        addPIN(to: &router)
        addUsers(to: &router)
        addSessions(to: &router)
        addOAuth(to: &router)
        addRealTime(to: &router)
        ImmichAssetRoutes(services: services, access: access, routing: routing, library: library).add(to: &router)
    }

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        ImmichResponses.serverError(status, sentence, for: request)
    }

    /// Returns the sender of a request. By default the client's header fields describe the device.
    func client(of request: ServerRequest, _ device: SessionDevice? = nil) -> RequestOrigin {
        origin(of: request, device ?? ImmichDevice(request).device)
    }

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        routing.failure(error, request)
    }
}
