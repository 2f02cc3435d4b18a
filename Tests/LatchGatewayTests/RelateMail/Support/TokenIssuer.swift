import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE
import Synchronization

@testable import LatchGateway

/// An issuer of JWT access tokens, honest or not, as a test says.
final class TokenIssuer: Sendable {
    static let clientID = "relate-mail"

    private struct State: Sendable {
        var issuer = ""
        var published: [SigningKey]
        var userInfo: JSONValue?
        var isBroken = false
        var asked: [String: Int] = [:]
    }

    private final class SharedState: Sendable {
        let value: Mutex<State>
        init(_ state: State) { value = Mutex(state) }

        func response(_ path: String, _ body: (State) -> ServerResponse) -> ServerResponse {
            value.withLock { state in
                state.asked[path, default: 0] += 1
                return state.isBroken ? ServerResponse(status: .serviceUnavailable) : body(state)
            }
        }
    }

    let issuer: String
    let key: SigningKey
    let server: HTTPServer
    private let state: SharedState
    private let now: @Sendable () -> Date

    private init(
        _ issuer: String, _ key: SigningKey, _ server: HTTPServer, _ state: SharedState,
        _ now: @escaping @Sendable () -> Date
    ) {
        self.issuer = issuer
        self.key = key
        self.server = server
        self.state = state
        self.now = now
    }

    static func start(
        _ algorithm: SignatureAlgorithm = .es256, now: @escaping @Sendable () -> Date
    ) async throws -> TokenIssuer {
        let key = try SigningKey.generate(algorithm, keyID: "one")
        let state = SharedState(State(published: [key]))
        var router = Router()
        router.on(.get, "/.well-known/openid-configuration") { _ in
            state.response("discovery") { .json(metadata($0.issuer)) }
        }
        router.on(.get, "/keys") { _ in
            state.response("keys") { .json(["keys": .array($0.published.map(\.publicJSON))] as JSONValue) }
        }
        router.on(.get, "/userinfo") { _ in
            state.response("userinfo") { state in
                state.userInfo.map { .json($0) } ?? ServerResponse(status: .unauthorized)
            }
        }
        let server = try await HTTPServer.start(
            .init(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
        let issuer = "http://127.0.0.1:\(server.addresses.first?.port ?? 0)"
        state.value.withLock { $0.issuer = issuer }
        return TokenIssuer(issuer, key, server, state, now)
    }

    func stop() async {
        await server.stop(drain: .zero)
    }

    private static func metadata(_ issuer: String) -> JSONValue {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "userinfo_endpoint": .string(issuer + "/userinfo"), "response_types_supported": ["code"],
        ]
    }
}

extension TokenIssuer {
    /// How often a document was asked for: `discovery`, `keys` or `userinfo`.
    func asked(_ document: String) -> Int { state.value.withLock { $0.asked[document] ?? 0 } }

    /// Answers nothing but 503 from now on, or as usual again.
    func setUnavailable(_ isBroken: Bool = true) { state.value.withLock { $0.isBroken = isBroken } }

    /// What UserInfo tells from now on; nil refuses every token.
    func setUserInfo(_ claims: JSONValue?) { state.value.withLock { $0.userInfo = claims } }

    /// Publishes these keys and no others from now on.
    func publish(_ keys: [SigningKey]) { state.value.withLock { $0.published = keys } }

    /// The claims of Ada's access token, with changes; one of nil leaves a claim out.
    func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        let seconds = now().timeIntervalSince1970.rounded(.down)
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "ada-1", "aud": .string(Self.clientID), "iat": .number(seconds),
            "exp": .number(seconds + 300), "jti": "1", "client_id": .string(Self.clientID),
            "scope": "openid profile email", "email": .string(GatewayFixture.email), "email_verified": true,
            "name": "Ada at the provider",
        ]
        for (name, value) in changes { claims[name] = value }
        return .object(claims.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    /// A token of the right key.
    func token(
        _ changes: [String: JSONValue?] = [:], type: String? = "at+jwt", key: SigningKey? = nil
    ) throws -> String {
        let key = key ?? self.key
        return try Self.assembled(
            [
                "alg": .string(key.algorithm.rawValue), "typ": type.map { .string($0) },
                "kid": key.publicKey.keyID.map { .string($0) },
            ],
            claims(changes)
        ) { try key.signature(of: $0) }
    }

    /// A token with any header and signature.
    static func assembled(
        _ header: [String: JSONValue?], _ claims: JSONValue, signature: ([UInt8]) throws -> [UInt8]
    ) rethrows -> String {
        let members = header.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        let message =
            Base64URL.encode(JSONValue.object(members).encoded()) + "." + Base64URL.encode(claims.encoded())
        return message + "." + Base64URL.encode(try signature(Array(message.utf8)))
    }

    /// The seconds of the test's clock.
    var seconds: Double { now().timeIntervalSince1970.rounded(.down) }
}
