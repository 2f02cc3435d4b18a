import DesktopDriver
import Synchronization

/// A server of OAuth that registers no programs, with one person who allows a device or has not decided.
final class OAuthServer: Sendable {
    private final class State: Sendable {
        let address = Mutex("")
        let isAllowed = Mutex(false)
    }

    private let state: State
    private let server: ScriptedServer

    init() throws {
        let state = State()
        self.state = state
        server = try ScriptedServer { _, path in Self.response(path, state) }
        state.address.withLock { $0 = server.address }
    }

    var address: String { server.address }

    func allow() { state.isAllowed.withLock { $0 = true } }

    func stop() { server.stop() }

    private static func response(_ path: String, _ state: State) -> ScriptedServer.Response {
        let base = state.address.withLock(\.self)
        switch path {
        case "/.well-known/oauth-authorization-server":
            return .json(
                #"""
                {"issuer":"\#(base)","authorization_endpoint":"\#(base)/a","token_endpoint":"\#(base)/t",
                "userinfo_endpoint":"\#(base)/u","device_authorization_endpoint":"\#(base)/d"}
                """#)
        case "/d":
            return .json(
                #"""
                {"device_code":"d1","user_code":"WDJB-MJHT","verification_uri":"\#(base)/device","expires_in":600,"interval":1}
                """#)
        case "/t" where !state.isAllowed.withLock(\.self):
            return .json(#"{"error":"authorization_pending"}"#, status: 400)
        case "/t": return .json(#"{"access_token":"a1","token_type":"Bearer","expires_in":300}"#)
        case "/u": return .json(#"{"sub":"7","email":"ada@example.org","name":"Ada"}"#)
        default: return .json("{}", status: 404)
        }
    }
}
