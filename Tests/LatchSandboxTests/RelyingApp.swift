import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import JOSE
import LatchSandbox
import OAuth
import TestSupport

/// A relying party as a script would be one: a provider of its own, a client, and forms filled in over HTTP.
struct RelyingApp {
    static let redirect = "https://app.example/callback"
    static let secret = "a secret: with/odd+characters"

    let provider: DevelopmentProvider
    let http: HTTPClient
    let verifier = PKCE.Verifier()

    /// Starts a provider, hands an app over and ends both.
    static func with(
        isPublic: Bool = false, algorithms: [SignatureAlgorithm] = [.es256],
        configure: (inout DevelopmentProvider.Configuration) -> Void = { _ in },
        _ body: (RelyingApp) async throws -> Void
    ) async throws {
        var configuration = DevelopmentProvider.Configuration(
            people: [
                ProviderPerson(email: "ada@example.org", password: "ada's password", name: "Ada L"),
                ProviderPerson(email: "bob@example.org", password: "bob's password", name: "<Bob> & \"Co\""),
            ],
            clients: [
                RegisteredClient(
                    id: "the:app", secret: isPublic ? nil : Secret(secret), name: "The App",
                    redirects: [redirect, redirect + "?kept=1"])
            ])
        configuration.algorithms = algorithms
        configure(&configuration)
        let app = RelyingApp(provider: try await .start(configuration), http: try HTTPClient())
        try await attempt {
            try await body(app)
        } finally: {
            await app.end()
        }
    }

    private func end() async {
        await http.close()
        await provider.stop()
    }

    /// The address that a browser would open; a change of nil leaves a parameter out.
    func address(_ changes: [String: String?] = [:], more: [(String, String)] = []) -> String {
        var fields: [(String, String)] = [
            ("client_id", "the:app"), ("redirect_uri", Self.redirect), ("response_type", "code"),
            ("scope", "openid email profile"), ("state", "the state"), ("nonce", "the nonce"),
            ("code_challenge", verifier.challenge.text), ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        return provider.issuer + "/authorize?" + FormURLEncoded.encode(fields + more)
    }

    func open(_ address: String, cookie: String? = nil) async throws -> ClientResponse {
        try await http.send(ClientRequest(url: address, headers: cookie.map { ["Cookie": $0] } ?? [:]))
    }

    /// Fills in the sign-in page at `address` as a script does.
    func fill(
        _ address: String, email: String = "ada@example.org", password: String = "ada's password",
        action: String = "allow", more: [(String, String)] = [], cookie: String? = nil
    ) async throws -> ClientResponse {
        try await post(
            address, [("email", email), ("password", password), ("action", action)] + more,
            cookie.map { ["Cookie": $0] } ?? [:])
    }

    func post(_ url: String, _ fields: [(String, String)], _ headers: HTTPHeaders = [:]) async throws -> ClientResponse
    {
        var headers = headers
        headers.append("Content-Type", FormURLEncoded.mediaType)
        return try await http.send(
            ClientRequest(method: .post, url: url, headers: headers, body: Array(FormURLEncoded.encode(fields).utf8)))
    }

    /// Signs Ada in and returns the code.
    func code(_ more: [(String, String)] = [], changes: [String: String?] = [:]) async throws -> String {
        try Self.callbackFields(await fill(address(changes), more: more))["code"] ?? ""
    }

    /// What the client is told by a redirect.
    static func callbackFields(_ response: ClientResponse) throws -> FormFields {
        guard response.status == .seeOther, let location = response.headers["Location"],
            location.hasPrefix(redirect + "?")
        else { throw Failure(text: "\(response.status): \(String(decoding: response.body, as: UTF8.self))") }
        return try FormURLEncoded.decode(String(location.dropFirst(redirect.count + 1)))
    }

    struct Failure: Error {
        let text: String
    }

    static var basic: HTTPHeaders {
        let pair = ["the:app", secret].map { FormURLEncoded.encode([("", $0)]).dropFirst() }.joined(separator: ":")
        return ["Authorization": "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    /// Redeems a code; a change of nil leaves a field out.
    func redeem(
        _ code: String, _ changes: [String: String?] = [:], headers: HTTPHeaders = Self.basic
    ) async throws -> ClientResponse {
        var fields = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirect,
            "code_verifier": verifier.secret.reveal(),
        ]
        for (name, value) in changes { fields[name] = value }
        return try await post(provider.issuer + "/token", fields.map { ($0.key, $0.value) }, headers)
    }

    func tokens(_ more: [(String, String)] = [], changes: [String: String?] = [:]) async throws -> JSONValue {
        try JSONValue(parsing: await redeem(code(more, changes: changes)).body)
    }

    func keySet() async throws -> JSONWebKeySet {
        try JSONWebKeySet(parsing: await open(provider.issuer + "/jwks").body)
    }

    static func claims(_ tokens: JSONValue) throws -> JSONValue {
        let parts = (tokens["id_token"]?.string ?? "").split(separator: ".")
        return try JSONValue(parsing: parts.count > 1 ? Base64URL.decode(String(parts[1])) ?? [] : [])
    }

    func userInfo(_ tokens: JSONValue) async throws -> ClientResponse {
        let token = tokens["access_token"]?.string ?? ""
        return try await http.send(
            ClientRequest(url: provider.issuer + "/userinfo", headers: ["Authorization": "Bearer \(token)"]))
    }
}

extension ClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
