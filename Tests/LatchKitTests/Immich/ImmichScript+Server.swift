import Crypto
import Foundation
import HTTPMessages
import OAuth
import Synchronization

@testable import LatchKit

extension ImmichScript {
    /// Source: docs/protocols/immich.md, Maintenance mode.
    func inMaintenance(_ path: String) -> ScriptedServer.Response {
        switch path {
        case "/api/server/ping": return .json(#"{"res":"pong"}"#)
        case "/api/server/version": return version
        case "/api/server/config": return .json(#"{"maintenanceMode":true}"#)
        default: return generation.error(404, "Not Found")
        }
    }

    var version: ScriptedServer.Response {
        let prerelease = generation.isAtLeast(3, 0) ? #","prerelease":null"# : ""
        return .json(
            #"{"major":\#(generation.major),"minor":\#(generation.minor),"patch":\#(generation.patch)\#(prerelease)}"#)
    }

    var features: ScriptedServer.Response {
        let (oauth, password) = state.withLock { ($0.oauth, $0.passwordLogin) }
        let names = [
            "configFile", "duplicateDetection", "email", "facialRecognition", "importFaces", "map", "oauthAutoLaunch",
            "reverseGeocoding", "search", "sidecar", "smartSearch", "trash",
        ]
        let rest = names.map { #""\#($0)":false"# }.joined(separator: ",")
        return .json(#"{"oauth":\#(oauth),"passwordLogin":\#(password),\#(rest)}"#)
    }

    var config: ScriptedServer.Response {
        let maintenance = generation.isAtLeast(2, 3) ? #","maintenanceMode":false"# : ""
        return .json(
            """
            {"oauthButtonText":"Sign in at home","loginPageMessage":"Be kind.","trashDays":30,"userDeleteDelay":7,\
            "isInitialized":true,"isOnboarded":true,"externalDomain":"","publicUsers":true,"mapDarkStyleUrl":"",\
            "mapLightStyleUrl":""\(maintenance)}
            """)
    }

    func sessions(_ token: String) -> ScriptedServer.Response {
        let rows = state.withLock(\.live).sorted { $0.value < $1.value }.map { live, id in
            let more = generation.isAtLeast(2, 0) ? #","appVersion":null"# : ""
            return """
                {"id":"\(id)","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-02T03:04:05.678Z",\
                "current":\(live == token),"deviceType":"test","deviceOS":"Linux"\(more)}
                """
        }
        return .json("[\(rows.joined(separator: ","))]")
    }

    /// Source: docs/protocols/immich.md, Sign-in through a provider.
    func authorize(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard state.withLock(\.oauth) else { return generation.error(400, "OAuth is not enabled") }
        guard let redirect = request.json?["redirectUri"]?.string else {
            return generation.invalid("redirectUri", "should not be empty")
        }
        let own = generation.takesState ? request.json?["state"]?.string : nil
        let challenge = generation.takesState ? request.json?["codeChallenge"]?.string : nil
        let query = FormURLEncoded.encode(
            [("redirect_uri", redirect), ("state", own ?? "made-by-the-server-1")]
                + (challenge.map { [("code_challenge", $0)] } ?? []))
        let host = request.headers["Host"] ?? ""
        // A host name leads through a proxy that ends TLS.
        let scheme = host.hasPrefix("127.0.0.1") ? "http" : "https"
        return .json(#"{"url":"\#(scheme)://\#(host)/idp?\#(query)"}"#, 201)
    }

    /// The identity provider signs the person in at once.
    func newCode(_ request: ScriptedServer.Request) -> String {
        state.withLock { state in
            let code = "code-number-\(state.codes.count)"
            state.codes[code] = (request.query["state"] ?? "", request.query["code_challenge"])
            return code
        }
    }

    func callback(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let failed = generation.error(
            500, generation.hasBareErrors ? "Failed to finish oauth" : "Internal server error")
        guard let url = request.json?["url"]?.string, !url.isEmpty else {
            return generation.invalid("url", "should not be empty")
        }
        if generation.takesState {
            guard request.json?["state"]?.string != nil else { return generation.error(400, "OAuth state is missing") }
            guard request.json?["codeVerifier"]?.string != nil else {
                return generation.error(400, "OAuth code verifier is missing")
            }
        }
        let query = ScriptedServer.Request(method: "", path: url, headers: [:], body: "").query
        guard let stored = state.withLock({ $0.codes.removeValue(forKey: query["code"] ?? "") }),
            stored.state == query["state"], url.hasPrefix("app.immich:///") || url.hasPrefix("http://127.0.0.1")
        else { return failed }
        if generation.takesState {
            let verifier = request.json?["codeVerifier"]?.string.flatMap(PKCE.Verifier.init)
            guard request.json?["state"]?.string == stored.state, verifier?.challenge.text == stored.challenge else {
                return failed
            }
        }
        return issue()
    }

    /// Source: docs/protocols/immich.md, PIN and locked assets.
    func pin(_ request: ScriptedServer.Request, _ token: String) -> ScriptedServer.Response {
        let (pin, body) = (state.withLock(\.pin), request.json)
        switch (request.method, request.path) {
        case ("GET", _):
            let elevated = state.withLock { $0.elevated.contains(token) }
            let expires = elevated ? state.withLock(\.pinExpires).map { #","pinExpiresAt":"\#($0)""# } ?? "" : ""
            return .json(#"{"pinCode":\#(pin != nil),"password":true,"isElevated":\#(elevated)\#(expires)}"#)
        case ("POST", "/api/auth/pin-code"):
            guard pin == nil else { return generation.error(400, "User already has a PIN code") }
            state.withLock { $0.pin = body?["pinCode"]?.string }
            return generation.done(201)
        case ("POST", "/api/auth/session/lock"):
            state.withLock { _ = $0.elevated.remove(token) }
            return generation.done()
        case ("POST", "/api/auth/session/unlock"):
            guard let pin, body?["pinCode"]?.string == pin else { return generation.error(400, "Wrong PIN code") }
            state.withLock { _ = $0.elevated.insert(token) }
            return generation.done()
        case ("PUT", "/api/auth/pin-code"), ("DELETE", "/api/auth/pin-code"):
            guard let pin else { return generation.error(400, "User does not have a PIN code") }
            if let password = body?["password"]?.string {
                guard password == state.withLock(\.password) else { return generation.error(400, "Wrong password") }
            } else if body?["pinCode"]?.string != pin {
                return generation.error(400, "Wrong PIN code")
            }
            let new = request.method == "PUT" ? body?["newPinCode"]?.string : nil
            state.withLock { ($0.pin, $0.elevated) = (new, new == nil ? [] : $0.elevated) }
            return generation.done()
        default: return notFound(request)
        }
    }
}

/// A home, an Immich server of one generation, and a person who signs in there.
struct ImmichFixture {
    let home: HomeFixture
    let immich: ImmichScript
    let wire: ScriptedServer
    let address: ServerAddress

    init(_ generation: ImmichGeneration = .newest) throws {
        home = try HomeFixture()
        let immich = ImmichScript(generation)
        self.immich = immich
        wire = try ScriptedServer { immich.response($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
    }

    func server(_ latch: LatchClient, connection: ConnectionOptions = .init()) async throws -> Server {
        try await latch.probe(address, connection: connection).requireServer()
    }

    /// Probes and signs in.
    func signIn(
        _ latch: LatchClient, connection: ConnectionOptions = .init(),
        onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await latch.signIn(
            PasswordSignIn(email: " Ada@Example.org", password: Secret("correct horse")),
            to: try await server(latch, connection: connection), onStep: onStep)
    }

    func asked(_ path: String) -> [ScriptedServer.Request] {
        wire.requests.filter { $0.path.prefix { $0 != "?" } == path }
    }
}
