import Foundation
import Synchronization

@testable import LatchKit

/// The rules of an Onyx server, as much as its sessions need, for ``ScriptedServer``.
final class OnyxScript: Sendable {
    private struct State {
        var live: Set<String> = []
        var ended: Set<String> = []
        var issued = 0
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Answer?)?
    }

    private let state = Mutex(State())
    /// Whether a renewal gives another token, as Onyx with JWT does.
    let rotates: Bool

    init(rotates: Bool = true) { self.rotates = rotates }

    var live: Set<String> { state.withLock(\.live) }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ answer: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Answer?)?) {
        state.withLock { $0.override = answer }
    }

    /// Ends every session on the server.
    func endAll() {
        state.withLock { state in
            state.ended.formUnion(state.live)
            state.live = []
        }
    }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        if let answer = state.withLock(\.override)?(request) { return answer }
        switch (request.method, request.path.prefix { $0 != "?" }) {
        case ("GET", "/api/auth/type"):
            return .json(#"{"multi_tenant":false,"password_auth_enabled":true,"password_min_length":8}"#)
        case ("POST", "/api/auth/mobile/login"):
            guard request.body == "username=ada%40example.org&password=correct+horse" else {
                return .json(#"{"detail":"LOGIN_BAD_CREDENTIALS"}"#, 400)
            }
            return issue()
        case ("POST", "/api/auth/mobile/refresh"):
            guard isLive(request) else { return .json(#"{"detail":"Unauthorized"}"#, 401) }
            return rotates ? issue() : .json(#"{"access_token":"\#(request.token ?? "")","token_type":"bearer"}"#)
        case ("POST", "/api/auth/mobile/logout"):
            guard isLive(request) else { return .json(#"{"detail":"Unauthorized"}"#, 401) }
            state.withLock { _ = $0.live.remove(request.token ?? "") }
            return ScriptedServer.Answer(status: 204, headers: [:])
        default: return authorized(request)
        }
    }

    private func authorized(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        guard isLive(request) else {
            let wasThere = state.withLock { $0.ended.contains(request.token ?? "") }
            return wasThere
                ? .json(#"{"error_code":"SESSION_TERMINATED","detail":"ended"}"#, 403)
                : .json(#"{"detail":"Unauthorized"}"#, 403)
        }
        switch request.path {
        case "/api/me":
            return .json(#"{"id":"7","email":"ada@example.org","is_active":true,"personalization":{"name":"Ada"}}"#)
        case "/api/empty": return ScriptedServer.Answer(status: 200, headers: [:])
        case "/api/nothing": return ScriptedServer.Answer(status: 204, headers: [:])
        case "/api/forbidden": return .json(#"{"detail":"Forbidden"}"#, 403)
        default: return .json("{}")
        }
    }

    private func isLive(_ request: ScriptedServer.Request) -> Bool {
        state.withLock { $0.live.contains(request.token ?? "") }
    }

    private func issue() -> ScriptedServer.Answer {
        let token = state.withLock { state in
            state.issued += 1
            state.live.insert("token-\(state.issued)")
            return "token-\(state.issued)"
        }
        return .json(#"{"access_token":"\#(token)","token_type":"bearer"}"#)
    }
}

/// A home, an Onyx server, and a person who signs in there.
struct World {
    let home: Home
    let onyx: OnyxScript
    let wire: ScriptedServer
    let address: ServerAddress

    init(rotates: Bool = true) throws {
        home = try Home()
        let onyx = OnyxScript(rotates: rotates)
        self.onyx = onyx
        wire = try ScriptedServer { onyx.answer($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
    }

    /// Probes and signs in.
    func signIn(_ latch: Latchstring, connection: ConnectionOptions = .init()) async throws -> Account {
        let server = try await latch.probe(address, connection: connection).requireServer()
        return try await latch.signIn(
            PasswordSignIn(email: " Ada@Example.org", password: Secret("correct horse")), to: server)
    }

    static let refresh = "/api/auth/mobile/refresh"
    static let logout = "/api/auth/mobile/logout"
}
