import Foundation
import HTTPMessages
import OAuth
import Synchronization

@testable import LatchKit

/// The rules of an Immich server of one generation, as much as its clients need, for ``ScriptedServer``.
final class ImmichScript: Sendable {
    struct State {
        var live: [String: String] = [:]
        var issued = 0
        var password = "correct horse"
        var mustChange = false
        var pin: String?
        var elevated: Set<String> = []
        var pinExpires: String?
        /// Codes that the identity provider gave, with the `state` and challenge that they are for.
        var codes: [String: (state: String, challenge: String?)] = [:]
        var inMaintenance = false
        var oauth = true
        var passwordLogin = true
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?
    }

    let generation: ImmichGeneration
    let state = Mutex(State())
    static let me = "0b64a1c8-9a5c-4d0b-9e1e-6d3f6c1a7e01"

    init(_ generation: ImmichGeneration) { self.generation = generation }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?) {
        state.withLock { $0.override = response }
    }

    /// Changes what the server knows.
    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        state.withLock(\.override)?(request) ?? rules(request)
    }

    func rules(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let path = String(request.path.prefix { $0 != "?" })
        if state.withLock(\.inMaintenance) { return inMaintenance(path) }
        if path == "/.well-known/immich" { return .json(#"{"api":{"endpoint":"/api"}}"#) }
        if path.hasPrefix("/api/auth/pin-code") || path.hasPrefix("/api/auth/session/") || path == "/api/auth/status" {
            return generation.hasPIN ? authorized(request) { self.pin(request, $0) } : notFound(request)
        }
        switch (request.method, path) {
        case ("GET", "/api/server/ping"): return .json(#"{"res":"pong"}"#)
        case ("GET", "/api/server/version"): return version
        case ("GET", "/api/server/features"): return features
        case ("GET", "/api/server/config"): return config
        case ("POST", "/api/auth/login"): return login(request)
        case ("POST", "/api/oauth/authorize"): return authorize(request)
        case ("POST", "/api/oauth/callback"): return callback(request)
        case ("GET", "/idp"):
            return .redirect(
                "app.immich:///oauth-callback?code=\(newCode(request))&state=\(request.query["state"] ?? "")")
        default: return authorized(request) { self.known(request, path, $0) }
        }
    }

    func notFound(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        generation.error(404, generation.hasBareErrors ? "Not Found" : "Cannot \(request.method) \(request.path)")
    }

    func issue() -> ScriptedServer.Response {
        let (token, mustChange) = state.withLock { state in
            state.issued += 1
            let token = "token-number-\(state.issued)"
            state.live[token] = "session-\(state.issued)"
            return (token, state.mustChange)
        }
        let onboarded = generation.isAtLeast(1, 135) ? #","isOnboarded":true"# : ""
        var response = ScriptedServer.Response.json(
            """
            {"accessToken":"\(token)","userId":"\(Self.me)","userEmail":"ada@example.org","name":"Ada",\
            "profileImagePath":"","isAdmin":false,"shouldChangePassword":\(mustChange)\(onboarded)}
            """, 201)
        for (name, value) in [("access_token", token), ("auth_type", "password"), ("is_authenticated", "true")] {
            response.headers.append("Set-Cookie", "immich_\(name)=\(value); Path=/; HttpOnly; SameSite=Lax")
        }
        return response
    }

    // Source: docs/protocols/immich.md, Tokens.
    func token(of request: ScriptedServer.Request) -> String? {
        if let token = request.headers["x-immich-user-token"] { return token }
        return request.headers["Authorization"].flatMap {
            $0.hasPrefix("Bearer ") ? String($0.dropFirst("Bearer ".count)) : nil
        }
    }

    private func authorized(
        _ request: ScriptedServer.Request, _ then: (String) -> ScriptedServer.Response
    ) -> ScriptedServer.Response {
        guard let token = token(of: request) else { return generation.error(401, "Authentication required") }
        guard state.withLock({ $0.live[token] != nil }) else { return generation.error(401, "Invalid user token") }
        return then(token)
    }

    private func login(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let body = request.json
        guard state.withLock(\.passwordLogin) else { return generation.error(401, "Password login has been disabled") }
        guard body?["email"]?.string?.contains("@") == true else {
            return generation.invalid("email", "must be an email")
        }
        guard body?["email"]?.string == "ada@example.org",
            body?["password"]?.string == state.withLock(\.password)
        else { return generation.error(401, "Incorrect email or password") }
        return issue()
    }

    private func known(_ request: ScriptedServer.Request, _ path: String, _ token: String) -> ScriptedServer.Response {
        switch (request.method, path) {
        case ("GET", "/api/users/me"): return me
        case ("PUT", "/api/users/me"), ("PATCH", "/api/users/me"):
            guard request.method == "PUT" || generation.isAtLeast(3, 0) else { return notFound(request) }
            guard let password = request.json?["password"]?.string else { return me }
            state.withLock { ($0.password, $0.mustChange) = (password, false) }
            return me
        case ("POST", "/api/auth/validateToken"): return .json(#"{"authStatus":true}"#)
        case ("POST", "/api/auth/logout"):
            state.withLock { _ = $0.live.removeValue(forKey: token) }
            return .json(#"{"successful":true,"redirectUri":"/auth/login?autoLaunch=0"}"#)
        case ("POST", "/api/auth/change-password"): return changePassword(request, token)
        case ("GET", "/api/sessions"): return sessions(token)
        case ("DELETE", _) where path.hasPrefix("/api/sessions/"):
            let id = String(path.dropFirst("/api/sessions/".count))
            let found = state.withLock { state in
                let found = state.live.filter { $0.value == id }
                for (token, _) in found { state.live.removeValue(forKey: token) }
                return !found.isEmpty
            }
            return found
                ? ScriptedServer.Response(status: 204, headers: [:])
                : generation.error(400, "Not found or no authDevice.delete access")
        case ("GET", "/api/timeline/buckets"): return generation.error(401, "Elevated permission is required")
        case ("GET", "/api/admin/users"): return generation.error(403, "Forbidden")
        case ("GET", "/api/assets/7"): return generation.error(400, "Not found or no asset.read access")
        case ("GET", "/api/assets/7/thumbnail"): return .redirect("/api/assets/7/original")
        case ("GET", "/api/server/about"):
            return .json(#"{"version":"\#(generation.text)","versionUrl":"","licensed":false}"#)
        case ("GET", "/api/albums"): return .json("[{\"id\":\"1\",\"albumName\":\"Summer\"}]")
        case ("GET", "/api/assets/statistics"): return .json(#"{"images":12,"videos":3,"total":15}"#)
        default: return notFound(request)
        }
    }

    private func changePassword(_ request: ScriptedServer.Request, _ token: String) -> ScriptedServer.Response {
        guard let new = request.json?["newPassword"]?.string, new.count >= 8 else {
            return generation.invalid("newPassword", "must be longer than or equal to 8 characters")
        }
        let endsOthers = generation.endsOthers
        let isRight = state.withLock { state in
            guard request.json?["password"]?.string == state.password else { return false }
            state.password = new
            if endsOthers { state.live = state.live.filter { $0.key == token } }
            return true
        }
        return isRight ? me : generation.error(400, "Wrong password")
    }

    var me: ScriptedServer.Response {
        let date = "2026-01-01T00:00:00.000Z"
        return .json(
            """
            {"id":"\(Self.me)","email":"ada@example.org","name":"Ada","profileImagePath":"","avatarColor":"primary",\
            "profileChangedAt":"\(date)","storageLabel":null,"shouldChangePassword":\(state.withLock(\.mustChange)),\
            "isAdmin":false,"createdAt":"\(date)","updatedAt":"\(date)","deletedAt":null,"oauthId":"",\
            "quotaSizeInBytes":null,"quotaUsageInBytes":null,"status":"active","license":null}
            """)
    }
}

extension ScriptedServer.Request {
    var json: JSONValue? { try? JSONValue(parsing: Array(body.utf8)) }
}
