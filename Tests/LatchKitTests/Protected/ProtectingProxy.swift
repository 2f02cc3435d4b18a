import Crypto
import Dispatch
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPClient
import HTTPMessages
import HTTPServer
import LatchGateway
import LatchKit
import Synchronization
import TestSupport

/// A reverse proxy that asks a real gateway about every request, in front of a made-up backend that has its own mind.
final class ProtectingProxy: Sendable {
    let folder: TemporaryDirectory
    let gateway: Gateway
    let server: HTTPServer
    let wire: ScriptedServer
    private let client: HTTPClient

    static let password = "correct horse 7"

    /// Where the gateway is.
    var gatewayURL: String { "http://127.0.0.1:\(server.addresses.first?.port ?? 0)" }
    /// Where the protected address is: another name of this machine.
    var url: String { "http://localhost:\(wire.port)" }

    init(
        now: @escaping @Sendable () -> Date, _ change: (inout GatewaySettings) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryDirectory()
        let port = try HeldPort()
        var settings = GatewaySettings(databasePath: folder.path + "/latchd.db")
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        settings.publicURL = "http://127.0.0.1:\(port.number)"
        settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        settings.verify.isEnabled = true
        change(&settings)
        gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in }, now: now)
        server = try await HTTPServer.start(
            HTTPServer.Configuration(
                listeners: [.tcp(host: "127.0.0.1", port: UInt16(port.number))], loops: 1), router: gateway.router)
        for email in ["ada@example.org", "eve@example.org"] {
            _ = try await gateway.stores.people.add(email: email, name: "", password: Secret(Self.password))
        }
        let (client, asked) = (try HTTPClient(), "http://127.0.0.1:\(port.number)")
        self.client = client
        wire = try ScriptedServer { request in Self.pass(request, to: asked, client) }
    }

    func close() async {
        wire.stop()
        await client.close()
        await server.stop(drain: .seconds(1))
        await gateway.close()
    }

    private static func pass(
        _ request: ScriptedServer.Request, to gateway: String, _ client: HTTPClient
    ) -> ScriptedServer.Response {
        var headers: HTTPHeaders = [
            "X-Forwarded-Host": request.headers["Host"] ?? "", "X-Forwarded-Proto": "http",
            "X-Forwarded-Method": request.method, "X-Forwarded-Uri": request.path,
        ]
        headers["Authorization"] = request.headers["Authorization"]
        headers["Accept"] = request.headers["Accept"]
        headers["DPoP"] = request.headers["DPoP"]
        let isMetadata = request.path.hasPrefix("/.well-known/oauth-protected-resource")
        let response = ask(gateway + (isMetadata ? request.path : "/auth/verify"), headers, client)
        guard !isMetadata, response.status == .ok else {
            return ScriptedServer.Response(
                status: response.status.rawValue, headers: response.headers.without(["Content-Length", "Connection"]),
                body: String(decoding: response.body, as: UTF8.self))
        }
        switch request.path {
        case "/own-401": return .json(#"{"error":"the backend wants more"}"#, 401)
        case "/own-403": return .json(#"{"error":"not yours"}"#, 403)
        default: return .json(#"{"who":"\#(response.headers["X-Auth-Email"] ?? "")"}"#)
        }
    }

    private final class Reply: Sendable { let response = Mutex<ClientResponse?>(nil) }

    /// On a thread of the proxy's own, which may wait.
    private static func ask(_ url: String, _ headers: HTTPHeaders, _ client: HTTPClient) -> ClientResponse {
        let reply = Reply()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let response = try? await client.send(ClientRequest(method: .get, url: url, headers: headers))
            reply.response.withLock { $0 = response }
            done.signal()
        }
        done.wait()
        return reply.response.withLock { $0 } ?? ClientResponse(status: HTTPStatus(rawValue: 502))
    }
}

extension HTTPHeaders {
    func without(_ names: [String]) -> HTTPHeaders {
        HTTPHeaders(filter { field in !names.contains { HTTPHeaders.namesAreEqual($0, field.name) } })
    }
}
