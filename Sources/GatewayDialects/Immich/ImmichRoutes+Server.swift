import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension ImmichRoutes {
    /// Adds the routes that describe the server. In maintenance mode only the first three are added.
    ///
    /// Source: IM-3g, IM-4; docs/protocols/immich.md, Server information and Maintenance mode.
    func addServer(to router: inout Router) {
        routing.on(.get, "/server/ping", to: &router) { _ in ServerResponse.privateJSON(ImmichPing()) }
        routing.on(.get, "/server/version", to: &router) { _ in ServerResponse.privateJSON(ImmichVersion.implemented) }
        routing.on(.get, "/server/config", to: &router) { _ in try await config() }
        guard !settings.isInMaintenance else { return }
        routing.on(.get, "/server/features", to: &router) { _ in ServerResponse.privateJSON(features) }
        routing.on(.get, "/server/media-types", to: &router) { _ in ServerResponse.privateJSON(ImmichMediaTypes.served)
        }
        routing.on(.get, "/server/version-history", to: &router) { _ in ServerResponse.privateJSON([String]()) }
        addKnown("/server/version-check", to: &router) { ServerResponse.privateJSON(ImmichVersionCheck()) }
        addKnown("/server/about", to: &router) { ServerResponse.privateJSON(Self.about) }
        addKnown("/server/storage", to: &router) { try storage() }
    }

    private func addKnown(
        _ path: String, to router: inout Router, _ response: @escaping @Sendable () throws -> ServerResponse
    ) {
        routing.on(.get, path, to: &router) { request in
            _ = try await access.caller(of: request)
            return try response()
        }
    }

    private func config() async throws -> ServerResponse {
        var config = ImmichConfig(
            oauthButtonText: buttonText, isInitialized: try await services.people.hasPeople(),
            externalDomain: services.address.configured ?? "")
        config.maintenanceMode = settings.isInMaintenance
        return ServerResponse.privateJSON(config)
    }

    /// The label of the sign-in button: the provider's title if there is exactly one provider.
    private var buttonText: String {
        let providers = services.settings.providers
        return providers.count == 1 ? providers[0].title : "Login with OAuth"
    }

    private var features: ImmichFeatures {
        ImmichFeatures(
            oauth: services.bridge != nil, passwordLogin: services.settings.passwordsEnabled, search: true)
    }

    private static let about = ImmichAbout(
        version: ImmichVersion.implemented.text,
        versionUrl: "https://github.com/immich-app/immich/releases/tag/\(ImmichVersion.implemented.text)",
        build: "latchd")

    /// Returns the size of the file system with the database and its free space, in bytes.
    private func storage() throws -> ServerResponse {
        let path = services.settings.database.path.map { path in
            path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        }
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path ?? "/")
        let size = (attributes[.systemSize] as? UInt64).map { Int(clamping: $0) } ?? 0
        let free = (attributes[.systemFreeSize] as? UInt64).map { Int(clamping: $0) } ?? 0
        return ServerResponse.privateJSON(ImmichStorage(size: size, available: free))
    }
}

extension ImmichMediaTypes {
    /// The media types that a library can contain.
    static let served = ImmichMediaTypes(
        image: [".avif", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"], sidecar: [],
        video: [".3gp", ".avi", ".m4v", ".mkv", ".mov", ".mp4", ".webm"])
}
