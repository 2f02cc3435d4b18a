import Foundation
import HTTPMessages
import Synchronization

/// The rules of a server of Relate Mail as real ones keep them, as much as sign-in and keys need, for ``ScriptedServer``.
///
/// It takes every access token that begins with `access-`, as ``ScriptedProvider`` makes them.
final class RelateMailScript: Sendable {
    /// What differs between releases and installations; without changes the newest, by its controller.
    struct Release: Sendable {
        /// Where `config.json` is; nil for nowhere.
        var configurationPath: String? = "/config/config.json"
        /// Members of `config.json` that are otherwise, or missing with nil.
        var configuration: [String: String?] = [:]
        /// Whether people sign in at a provider.
        var hasProvider = true
        /// Whether unknown paths are answered with the app's page.
        var hasPages = true
        /// Whether `Bearer` takes keys too.
        var bearerTakesKeys = true
        /// Whether each request by a key ends in a fault.
        var keysCrash = false
        /// Whether a fault is told in JSON.
        var tellsFaults = true
        /// Whether there is the short way to a key for an app.
        var hasAppKeys = true
        /// The scopes that it knows.
        var scopes = ["smtp", "pop3", "imap", "api:read", "api:write", "app"]
        /// The status of a key that was made.
        var made = 200
        /// Whether a list tells when a key was last used.
        var tellsUse = true
        /// Whether the token tells the address.
        var tokenTellsEmail = true
    }

    struct Key: Sendable {
        var id: String
        var key: String
        var name: String
        var scopes: [String]
        var uses = 0
    }

    private struct State {
        var keys: [Key] = []
        var made = 0
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?
    }

    private let state = Mutex(State())
    let release: Release
    let issuer: String

    init(_ release: Release = Release(), issuer: String) {
        self.release = release
        self.issuer = issuer
    }

    /// The keys that are good, newest first.
    var keys: [Key] { state.withLock(\.keys) }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?) {
        state.withLock { $0.override = response }
    }

    /// Makes a key as another program does.
    @discardableResult
    func add(_ name: String = "another program", scopes: [String] = ["app"]) -> Key {
        state.withLock { state in
            state.made += 1
            // 44 characters of standard Base64, as the real ones.
            let key = String(repeating: "k", count: 38) + "+/\(state.made % 10)x0="
            let made = Key(
                id: "0c3cbd0e-63a4-4f3e-9d6b-00000000000\(state.made)", key: key, name: name, scopes: scopes)
            state.keys.insert(made, at: 0)
            return made
        }
    }

    /// Revokes every key.
    func revokeAll() { state.withLock { $0.keys = [] } }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        if let response = state.withLock(\.override)?(request) { return response }
        let path = String(request.path.prefix { $0 != "?" })
        switch (request.method, path) {
        case ("GET", "/api/discovery"):
            let features = #"["smtp","pop3","imap","api-keys","labels"]"#
            return .json(
                #"{"version":"1.0.0","apiVersion":"v1","oidcEnabled":\#(release.hasProvider),"features":\#(features)}"#)
        case ("GET", release.configurationPath): return configuration
        case _ where path.hasPrefix("/api/"): return authorized(request, path)
        default: return release.hasPages ? .page(200) : .page(404)
        }
    }

    private var configuration: ScriptedServer.Response {
        var members = [
            "oidcAuthority": issuer, "oidcClientId": "latch client:1", "oidcRedirectUri": "https://web.example.org/",
            "oidcScope": "openid profile email",
        ]
        for (name, value) in release.configuration { members[name] = value }
        return .json(JSON.encode(members).text)
    }

    private func authorized(_ request: ScriptedServer.Request, _ path: String) -> ScriptedServer.Response {
        let field = request.headers["Authorization"] ?? ""
        let token = String(field.drop { $0 != " " }.dropFirst())
        if field.hasPrefix("Bearer access-") {
            return release.tokenTellsEmail ? response(to: request, path, by: nil) : fault
        }
        guard field.hasPrefix("ApiKey ") || field.hasPrefix("Bearer ") && release.bearerTakesKeys,
            let key = use(token), !Set(key.scopes).isDisjoint(with: ["api:read", "api:write", "app"])
        else { return ScriptedServer.Response(status: 401, headers: ["WWW-Authenticate": "Bearer"]) }
        return release.keysCrash ? fault : response(to: request, path, by: key)
    }

    private func use(_ token: String) -> Key? {
        state.withLock { state in
            guard let index = state.keys.firstIndex(where: { $0.key == token }) else { return nil }
            state.keys[index].uses += 1
            return state.keys[index]
        }
    }

    private var fault: ScriptedServer.Response {
        release.tellsFaults ? .json(#"{"error":"An unexpected error occurred"}"#, 500) : .page(500)
    }

    private func response(to request: ScriptedServer.Request, _ path: String, by key: Key?) -> ScriptedServer.Response {
        switch (request.method, path) {
        case ("GET", "/api/profile"):
            return .json(
                #"""
                {"id":"7f1d","email":"ada@example.org","displayName":"Ada Lovelace","createdAt":\#
                "2026-02-08T05:52:49.1234567+00:00","lastLoginAt":null,"additionalAddresses":[]}
                """#)
        case ("GET", "/api/smtp-credentials"): return list
        case ("POST", "/api/smtp-credentials"): return makeKey(request)
        case ("POST", "/api/smtp-credentials/mobile") where release.hasAppKeys: return makeAppKey(request)
        case ("DELETE", _) where path.hasPrefix("/api/smtp-credentials/"):
            let id = path.dropFirst("/api/smtp-credentials/".count)
            let wasThere = state.withLock { state in
                defer { state.keys.removeAll { $0.id == id } }
                return state.keys.contains { $0.id == id }
            }
            return wasThere ? ScriptedServer.Response(status: 204, headers: [:]) : Self.notFound
        case ("GET", "/api/external/emails"):
            let mayRead = key?.scopes.contains("api:read") ?? false
            return mayRead ? .json("[]") : ScriptedServer.Response(status: 403, headers: [:])
        default: return Self.notFound
        }
    }

    private static let notFound = ScriptedServer.Response(
        status: 404, headers: ["Content-Type": "application/problem+json; charset=utf-8"],
        body: #"{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.5","title":"Not Found","status":404}"#)

    private var list: ScriptedServer.Response {
        let rows = keys.map { key in
            let used =
                key.uses > 0 && release.tellsUse
                ? #""2026-02-08T05:52:49.\#(String(1_000_000 + key.uses))+00:00""# : "null"
            return #"""
                {"id":"\#(key.id)","name":"\#(key.name)","createdAt":"2026-02-08T05:52:49.1+00:00",\#
                "lastUsedAt":\#(used),"isActive":true,"scopes":\#(JSON.encode(key.scopes).text)}
                """#
        }
        return .json(#"{"connectionInfo":{"smtpServer":"x"},"keys":[\#(rows.joined(separator: ","))]}"#)
    }

    private func makeKey(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let body = try? JSONValue(parsing: Array(request.body.utf8))
        guard let name = body?["name"]?.string else {
            return ScriptedServer.Response(
                status: 400, headers: ["Content-Type": "application/problem+json"],
                body: #"""
                    {"title":"One or more validation errors occurred.","status":400,\#
                    "errors":{"Name":["The Name field is required."]}}
                    """#)
        }
        let asked = (body?["scopes"]?.array ?? []).compactMap(\.string)
        if let unknown = asked.first(where: { !release.scopes.contains($0) }) {
            let known = release.scopes.joined(separator: ", ")
            return .json(#"{"error":"Invalid scope: \#(unknown). Valid scopes are: \#(known)"}"#, 400)
        }
        return made(name, asked.isEmpty ? release.scopes : asked)
    }

    private func makeAppKey(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let body = try? JSONValue(parsing: Array(request.body.utf8))
        let platform = body?["platform"]?.string ?? ""
        guard ["ios", "android", "windows", "macos", "web"].contains(platform.lowercased()) else {
            return .json(
                #"{"error":"Invalid platform: \#(platform). Valid platforms are: ios, android, windows, macos, web"}"#,
                400)
        }
        let name = "Mobile App - \(body?["deviceName"]?.string ?? "") (\(platform))"
        return made(String(name.prefix(100)), release.scopes.contains("app") ? ["app"] : ["api:read", "api:write"])
    }

    private func made(_ name: String, _ scopes: [String]) -> ScriptedServer.Response {
        let key = add(name, scopes: scopes)
        return .json(
            #"""
            {"id":"\#(key.id)","name":"\#(name)","apiKey":"\#(key.key)","scopes":\#(JSON.encode(scopes).text),\#
            "createdAt":"2026-02-08T05:52:49.1234567+00:00"}
            """#, release.made)
    }
}

extension [UInt8] {
    /// The bytes as text.
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
