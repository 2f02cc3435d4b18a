import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary
import ServerMessages

extension ImmichAssetRoutes {
    func addFiles(to router: inout Router) {
        routing.on(.get, id: "/assets/{id}", to: &router) { request, id in
            let viewer = try await viewer(of: request)
            guard let asset = try await find(id, for: viewer) else { throw Self.noAccess("asset.read") }
            return ServerResponse.privateJSON(ImmichAssetResponses.asset(asset, for: viewer, withExif: true))
        }
        routing.on(.get, id: "/assets/{id}/original", to: &router) { request, id in
            let viewer = try await viewer(of: request)
            try Self.checkBool("edited", in: request)
            return try file(try await find(id, for: viewer), to: request)
        }
        routing.on(.get, id: "/assets/{id}/thumbnail", to: &router) { request, id in
            let viewer = try await viewer(of: request)
            try Self.checkBool("edited", in: request)
            try Self.check("size", in: request, isOneOf: ["original", "fullsize", "preview", "thumbnail"])
            let asset = try await find(id, for: viewer)
            guard let asset, asset.kind == .image else { throw Self.notFound }
            // No thumbnails are created. A photo without one from the camera is its own thumbnail.
            guard request.query("size") ?? "thumbnail" == "thumbnail",
                let bytes = try await library?.thumbnail(of: asset)
            else { return try file(asset, to: request) }
            var headers = Self.headers(of: asset)
            headers["Content-Type"] = "image/jpeg"
            return ServerResponse(headers: headers, body: .bytes(bytes))
        }
        routing.on(.get, id: "/assets/{id}/video/playback", to: &router) { request, id in
            let viewer = try await viewer(of: request)
            let asset = try await find(id, for: viewer)
            return try file(asset?.kind == .video ? asset : nil, to: request)
        }
    }

    /// Returns a file or the requested range of it, or the response with which nginx sends it. The response is 404 when
    /// the file is not available, whatever the reason.
    ///
    /// Source: DL-3; docs/protocols/immich.md, Files.
    private func file(_ asset: Asset?, to request: ServerRequest) throws -> ServerResponse {
        guard let library, let asset, let served = library.open(asset) else {
            throw Self.notFound
        }
        let headers = Self.headers(of: asset)
        if let response = internalLocation?.response(to: request, for: asset, headers: headers) { return response }
        let response = served.response(to: request, mediaType: asset.mediaType, headers: headers)
        switch response.status {
        case .rangeNotSatisfiable: return Self.explained(response, "Range Not Satisfiable")
        case .preconditionFailed: return Self.explained(response, "Precondition Failed")
        default: return response
        }
    }

    private static let notFound = ImmichRefusal(.notFound, "Not Found")

    private static func headers(of asset: Asset) -> HTTPHeaders {
        [
            "Content-Disposition": "inline; filename*=UTF-8''" + PercentEncoding.encode(asset.name),
            // Locked files are not cached, so that every request checks the lock.
            "Cache-Control": asset.isLocked ? "no-store, no-transform" : "private, max-age=86400, no-transform",
            // Prevents scripts inside an image from running.
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        ]
    }

    private static func explained(_ response: ServerResponse, _ message: String) -> ServerResponse {
        var response = response
        let explanation = ImmichResponses.failure(response.status, message)
        response.headers["Content-Type"] = explanation.headers["Content-Type"]
        response.body = explanation.body
        return response
    }

    /// Throws when a query parameter has a value other than `true` and `false`.
    static func checkBool(_ name: String, in request: ServerRequest) throws(ImmichRefusal) {
        try check(name, in: request, isOneOf: ["true", "false"])
    }

    /// Throws when a query parameter has a value that is not in `values`.
    static func check(
        _ name: String, in request: ServerRequest, isOneOf values: [String]
    ) throws(ImmichRefusal) {
        guard request.queryValues(name).allSatisfy(values.contains) else {
            let options = values.map { "\"\($0)\"" }.joined(separator: "|")
            throw ImmichRefusal([
                .init(path: [name], message: "Invalid option: expected one of \(options)", code: "invalid_value")
            ])
        }
    }
}
