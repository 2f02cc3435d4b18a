import Crypto
import Foundation
import HTTPMessages
import OAuth
import Synchronization

@testable import LatchKit

/// The rules of an Onyx server, as much as its sessions need, for ``ScriptedServer``.
final class OnyxScript: Sendable {
    private struct State {
        var live: Set<String> = []
        var ended: Set<String> = []
        var issued = 0
        var challenges: [String: String] = [:]
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?
    }

    private let state = Mutex(State())
    /// Whether a renewal gives another token, as Onyx with JWT does.
    let rotates: Bool

    init(rotates: Bool = true) { self.rotates = rotates }

    var live: Set<String> { state.withLock(\.live) }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?) {
        state.withLock { $0.override = response }
    }

    /// Ends every session on the server.
    func endAll() {
        state.withLock { state in
            state.ended.formUnion(state.live)
            state.live = []
        }
    }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        if let response = state.withLock(\.override)?(request) { return response }
        switch (request.method, request.path.prefix { $0 != "?" }) {
        case ("GET", "/api/auth/type"):
            return .json(#"{"multi_tenant":false,"password_auth_enabled":true,"password_min_length":8}"#)
        case ("GET", "/api/auth/mobile/oauth/authorize"): return authorize(request)
        case ("POST", "/api/auth/mobile/sso/exchange"): return exchange(request)
        case ("POST", "/api/auth/mobile/login"):
            guard request.body == "username=ada%40example.org&password=correct+horse" else {
                return .json(#"{"detail":"LOGIN_BAD_CREDENTIALS"}"#, 400)
            }
            return issue(request)
        case ("POST", "/api/auth/mobile/refresh"):
            guard isLive(request) else { return .json(#"{"detail":"Unauthorized"}"#, 401) }
            return rotates
                ? issue(request) : .json(#"{"access_token":"\#(request.token ?? "")","token_type":"bearer"}"#)
        case ("POST", "/api/auth/mobile/logout"):
            guard isLive(request) else { return .json(#"{"detail":"Unauthorized"}"#, 401) }
            state.withLock { _ = $0.live.remove(request.token ?? "") }
            return ScriptedServer.Response(status: 204, headers: [:])
        default: return authorized(request)
        }
    }

    /// Signs the person in at once and sends the browser back with a code.
    func authorize(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let query = request.query
        guard query["redirect"] == "true", let redirect = query["mobile_redirect_uri"],
            let appState = query["app_state"], let challenge = query["app_code_challenge"]
        else { return .json(#"{"error_code":"VALIDATION_ERROR","detail":"no"}"#, 400) }
        let code = state.withLock { state in
            state.challenges["code-number-\(state.challenges.count)"] = challenge
            return "code-number-\(state.challenges.count - 1)"
        }
        return .redirect("\(redirect)?code=\(code)&state=\(appState)")
    }

    private func exchange(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let body = try? JSONValue(parsing: Array(request.body.utf8))
        let challenge = state.withLock { $0.challenges.removeValue(forKey: body?["code"]?.string ?? "") }
        guard let challenge, let verifier = body?["code_verifier"]?.string.flatMap(PKCE.Verifier.init),
            verifier.challenge.text == challenge
        else { return .json(#"{"error_code":"UNAUTHENTICATED","detail":"Invalid or expired code"}"#, 401) }
        return issue(request)
    }

    private func authorized(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard isLive(request) else {
            let wasThere = state.withLock { $0.ended.contains(request.token ?? "") }
            return wasThere
                ? .json(#"{"error_code":"SESSION_TERMINATED","detail":"ended"}"#, 403)
                : .json(#"{"detail":"Unauthorized"}"#, 403)
        }
        switch request.path {
        case "/api/me":
            return .json(#"{"id":"7","email":"ada@example.org","is_active":true,"personalization":{"name":"Ada"}}"#)
        case "/api/empty": return ScriptedServer.Response(status: 200, headers: [:])
        case "/api/nothing": return ScriptedServer.Response(status: 204, headers: [:])
        case "/api/forbidden": return .json(#"{"detail":"Forbidden"}"#, 403)
        default: return .json("{}")
        }
    }

    private func isLive(_ request: ScriptedServer.Request) -> Bool {
        state.withLock { $0.live.contains(request.token ?? "") }
    }

    /// Issues a token. Like a gateway, the server binds it to the key of a proof.
    private func issue(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let token = state.withLock { state in
            state.issued += 1
            state.live.insert("token-number-\(state.issued)")
            return "token-number-\(state.issued)"
        }
        let type = request.headers["DPoP"] == nil ? "bearer" : "DPoP"
        return .json(#"{"access_token":"\#(token)","token_type":"\#(type)"}"#)
    }
}

extension ScriptedServer.Request {
    /// The query's fields.
    var query: FormFields {
        let text = path.drop { $0 != "?" }.dropFirst()
        return (try? FormURLEncoded.decode(Array(text.utf8))) ?? FormFields()
    }
}

/// A home, an Onyx server, and a person who signs in there.
struct OnyxFixture {
    let home: HomeFixture
    let onyx: OnyxScript
    let wire: ScriptedServer
    let address: ServerAddress

    init(rotates: Bool = true) throws {
        home = try HomeFixture()
        let onyx = OnyxScript(rotates: rotates)
        self.onyx = onyx
        wire = try ScriptedServer { onyx.response($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
    }

    /// Probes and signs in.
    func signIn(_ latch: LatchClient, connection: ConnectionOptions = .init()) async throws -> Account {
        let server = try await latch.probe(address, connection: connection).requireServer()
        return try await latch.signIn(
            PasswordSignIn(email: " Ada@Example.org", password: Secret("correct horse")), to: server)
    }

    static let refresh = "/api/auth/mobile/refresh"
    static let logout = "/api/auth/mobile/logout"

    /// Has each renewal tell that it came, and wait for a signal.
    func holdRenewals(
        response: ScriptedServer.Response? = nil
    ) -> (asked: AsyncStream<Void>, gate: DispatchSemaphore) {
        let (asked, wasAsked) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        onyx.intercept { request in
            guard request.path == Self.refresh else { return nil }
            wasAsked.yield()
            gate.wait()
            return response
        }
        return (asked, gate)
    }
}
