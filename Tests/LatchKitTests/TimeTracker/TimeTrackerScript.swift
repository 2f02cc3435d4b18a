import Foundation
import HTTPMessages
import Synchronization

@testable import LatchKit

/// A server of Time Tracker itself and its identity provider, as docs/protocols/time-tracker.md describes them, for
/// ``ScriptedServer``: no cookie at the start of an app's sign-in, an exchange by `state` alone, tokens that cannot be taken
/// back.
final class TimeTrackerScript: Sendable {
    /// What differs between servers, and what is wrong with them.
    struct Settings: Sendable {
        /// Where the paths are: a proxy in front puts them below `/api`.
        var prefix = ""
        /// Whether the start sets a cookie and so ties the sign-in to a browser; no server of Time Tracker does.
        var setsCookie = false
        /// Seconds, or nil to leave it out.
        var expiresIn: Int? = 2_592_000
        /// What a sign-out is answered.
        var logout = ScriptedServer.Response.json(#"{"error":"Failed to logout"}"#, 500)
        /// Whether a sign-out really ends the session.
        var revokes = false
    }

    private struct State {
        var settings: Settings
        var waiting: [String: String] = [:]
        var codes: Set<String> = []
        var live: Set<String> = []
        var reasons = "jwt malformed"
        var count = 0
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?
    }

    static let user = #"{"id":"sub-7","username":"ada","fullName":"Ada Lovelace","email":"ada@example.org"}"#
    private let state: Mutex<State>

    init(_ settings: Settings = Settings()) { state = Mutex(State(settings: settings)) }

    var live: Set<String> { state.withLock(\.live) }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?) {
        state.withLock { $0.override = response }
    }

    /// Takes no token any more, for this reason.
    func endAll(_ reason: String) {
        state.withLock { state in
            state.live = []
            state.reasons = reason
        }
    }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        if let response = state.withLock(\.override)?(request) { return response }
        let prefix = state.withLock(\.settings.prefix)
        let path = String(request.path.prefix { $0 != "?" })
        if path == "/idp/authorize" { return authorize(request) }
        guard path.hasPrefix(prefix + "/") else { return .page(200) }
        switch (request.method, String(path.dropFirst(prefix.utf8.count))) {
        case ("GET", "/health"): return .json(#"{"status":"ok","timestamp":"2026-11-21T12:00:00.000Z"}"#)
        case ("GET", "/auth/login"): return login(request)
        case ("POST", "/auth/token"): return token(request)
        case ("POST", "/auth/logout"): return logout(request)
        case ("GET", "/auth/me"): return me(request, .json(Self.user))
        case ("GET", "/clients"): return me(request, .json("[]"))
        case ("DELETE", "/clients"): return me(request, ScriptedServer.Response(status: 200, headers: [:]))
        default: return .json(#"{"error":"Endpoint not found"}"#, 404)
        }
    }

    /// 302 to the provider, with a state of the server's making.
    private func login(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard let redirect = request.query["redirect_uri"] else { return .json(#"{"error":"no"}"#, 500) }
        let (made, setsCookie) = state.withLock { state in
            state.count += 1
            state.waiting["state-\(state.count)-of-the-server"] = redirect
            return ("state-\(state.count)-of-the-server", state.settings.setsCookie)
        }
        let query = FormURLEncoded.encode([
            ("response_type", "code"), ("client_id", "timetracker"), ("state", made), ("redirect_uri", redirect),
        ])
        var response = ScriptedServer.Response.redirect("/idp/authorize?" + query)
        if setsCookie { response.headers["Set-Cookie"] = "begun=1; HttpOnly" }
        return response
    }

    /// The provider: everybody agrees at once.
    private func authorize(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let code = state.withLock { state in
            state.count += 1
            state.codes.insert("code-number-\(state.count)")
            return "code-number-\(state.count)"
        }
        return .redirect("\(request.query["redirect_uri"] ?? "")?code=\(code)&state=\(request.query["state"] ?? "")")
    }

    private func token(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let body = try? JSONValue(parsing: Array(request.body.utf8))
        let names = ["code", "state", "redirect_uri"]
        let missing = names.filter { (body?[$0]?.string ?? "").isEmpty }
        guard missing.isEmpty else {
            return .json(#"{"error":"Missing required parameters: \#(missing.joined(separator: ", "))"}"#, 400)
        }
        return state.withLock { state in
            guard state.waiting.removeValue(forKey: body?["state"]?.string ?? "") != nil else {
                return .json(#"{"error":"OIDC session not found or expired. Initiate login again."}"#, 400)
            }
            guard state.codes.remove(body?["code"]?.string ?? "") != nil else {
                return .json(#"{"error":"Failed to exchange token: invalid_grant (code is unknown)"}"#, 500)
            }
            state.count += 1
            let token = "eyJhbGciOiJIUzI1NiJ9.token-number-\(state.count).signature"
            state.live.insert(token)
            let expiry = state.settings.expiresIn.map { #""expires_in":\#($0),"# } ?? ""
            return .json(#"{"access_token":"\#(token)","token_type":"Bearer",\#(expiry)"user":\#(Self.user)}"#)
        }
    }

    private func logout(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        state.withLock { state in
            if state.settings.revokes { _ = state.live.remove(request.token ?? "") }
            return state.settings.logout
        }
    }

    private func me(_ request: ScriptedServer.Request, _ response: ScriptedServer.Response) -> ScriptedServer.Response {
        guard let token = request.token else { return .json(#"{"error":"Unauthorized"}"#, 401) }
        return state.withLock { state in
            state.live.contains(token) ? response : .json(#"{"error":"Unauthorized: \#(state.reasons)"}"#, 401)
        }
    }
}

/// A home, a server of Time Tracker, and a person at a browser.
struct TimeTrackerFixture {
    let home: HomeFixture
    let script: TimeTrackerScript
    let wire: ScriptedServer
    let address: ServerAddress
    let person: BrowserPerson

    init(_ settings: TimeTrackerScript.Settings = .init()) throws {
        home = try HomeFixture()
        let script = TimeTrackerScript(settings)
        self.script = script
        wire = try ScriptedServer { script.response($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
        person = BrowserPerson(home: home)
    }

    func server(_ latch: LatchClient) async throws -> Server {
        try await latch.probe(address).requireServer()
    }

    /// Signs in through the browser and the scheme.
    func signIn(_ latch: LatchClient) async throws -> Account {
        let server = try await server(latch)
        async let signedIn = latch.signIn(person.signIn(), to: server)
        try person.open(await person.link(from: await person.address()))
        return try await signedIn
    }

    /// What was sent to `/auth/token`, without the empty questions of probing.
    var exchanges: [JSONValue] {
        wire.requests.filter { $0.path.hasSuffix("/auth/token") && $0.body != "{}" }
            .compactMap { try? JSONValue(parsing: Array($0.body.utf8)) }
    }
}
