import GatewayConfiguration
import GatewayCore
import HTTPClient
import HTTPMessages
import HTTPServer
import LatchGateway
import Synchronization

/// A demonstration backend without its own sign-in, below ``path`` of a gateway, together with its reverse proxy.
///
/// The proxy sends every request to the gateway's `/auth/verify` over HTTP, as a real one would, and forwards refusals.
/// The backend responds with the request that it received, as JSON.
final class SandboxBackend: Sendable {
    /// The path prefix of the backend.
    static let path = "/backend"

    /// The access rules: public paths, paths for Ada only, and paths for a group of the provider. All other paths
    /// require sign-in.
    static let rules = [
        AccessRule(named: "public", paths: [path + "/public/*"], admission: .everybody),
        AccessRule(
            named: "ada", paths: [path + "/ada/*"], admission: .some(AccessMembers(users: ["ada@example.org"]))),
        AccessRule(
            named: "admins", paths: [path + "/admins/*"],
            admission: .some(AccessMembers(users: [], groups: ["admins"]))),
    ].compactMap { $0 }

    /// The trusted proxies: this machine, for the proxy here and for others that are tried with the sandbox.
    static let proxies = TrustedProxies(["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) })

    private let http: HTTPClient
    private let gateway = Mutex<String?>(nil)

    init() throws {
        http = try HTTPClient()
    }

    /// Adds the routes of the backend.
    func add(to router: inout Router) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"].map(HTTPMethod.init(rawValue:)) {
            for path in [Self.path, Self.path + "/"] {
                router.on(method, path) { await self.response($0) }
            }
            router.on(method, Self.path + "/{path*}", parameters: String.self) { request, _ in
                await self.response(request)
            }
        }
    }

    /// Sets the URL of the gateway that checks requests.
    func open(behind url: String) {
        gateway.withLock { $0 = url }
    }

    func close() async {
        await http.close()
    }

    private func response(_ request: ServerRequest) async -> ServerResponse {
        guard let url = gateway.withLock({ $0 }),
            let verification = try? await http.send(
                ClientRequest(url: url + "/auth/verify", headers: Self.verificationHeaders(request)))
        else { return .text("The gateway does not respond.\n", status: .serviceUnavailable) }
        guard verification.status == .ok else {
            return ServerResponse(
                status: verification.status, headers: Self.fields(Self.responseFields, of: verification.headers),
                body: verification.body)
        }
        return ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"],
            body: Self.describe(request, verification.headers).encoded())
    }

    /// Returns the header fields that the proxy sends to the gateway.
    private static func verificationHeaders(_ request: ServerRequest) -> HTTPHeaders {
        var headers = fields(requestFields, of: request.headers)
        headers["X-Forwarded-Host"] = request.headers["Host"] ?? ""
        headers["X-Forwarded-Proto"] = "http"
        headers["X-Forwarded-Method"] = request.method.rawValue
        headers["X-Forwarded-Uri"] = target(request)
        return headers
    }

    /// Returns the request as the backend receives it.
    private static func describe(_ request: ServerRequest, _ identity: HTTPHeaders) -> JSONValue {
        let fields = ["user", "email", "name", "groups", "session"].map { name in
            JSONValue.Member(name, identity["X-Auth-" + name].map(JSONValue.string) ?? .null)
        }
        return .object(
            [.init("method", .string(request.method.rawValue)), .init("path", .string(target(request)))] + fields)
    }

    private static func target(_ request: ServerRequest) -> String {
        request.path + (request.rawQuery.map { "?" + $0 } ?? "")
    }

    private static let requestFields = [
        "Authorization", "Cookie", "Accept", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "X-Requested-With",
    ]
    private static let responseFields = [
        "WWW-Authenticate", "Location", "Content-Type", "Cache-Control", "Retry-After",
    ]

    private static func fields(_ names: [String], of headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.filter { field in names.contains { HTTPHeaders.namesAreEqual($0, field.name) } })
    }
}
