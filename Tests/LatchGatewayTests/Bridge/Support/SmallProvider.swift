import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE
import OAuth
import Synchronization
import TestSupport

/// A small honest OpenID provider: it gives a code for whom a test names, once, and checks all that it is told.
final class SmallProvider: Sendable {
    /// Somebody who has an account there.
    struct Account: Sendable {
        var subject = "ada-1"
        var email = GatewayFixture.email
        var isVerified = true
        var name: String? = "Ada at the provider"
        /// What the ID token says of when the person signed in there; nothing unless told.
        var authTime: JSONValue?
        /// How the person signed in there; nothing by default.
        var methods: [String] = []
        /// The session at the provider; none by default.
        var sessionID: String?
    }

    /// The provider's name for itself.
    let issuer: String
    /// What the gateway is called there.
    static let clientID = "gateway"
    static let clientSecret = "a secret of 24 characters"

    private struct Grant: Sendable {
        let account: Account
        let request: FormFields
    }

    private struct State: Sendable {
        var issuer = ""
        var grants: [String: Grant] = [:]
        var exchanges = 0
        var exchangeHeaders: [HTTPHeaders] = []
    }

    /// Keeps the port from the servers of other tests after ``stop()``.
    private let port: HeldPort
    private let server: HTTPServer
    private let state: SharedState
    private let key: SigningKey

    private final class SharedState: Sendable {
        let value = Mutex(State())

        var issuer: String { value.withLock { $0.issuer } }
    }

    private init(issuer: String, port: HeldPort, server: HTTPServer, state: SharedState, key: SigningKey) {
        self.port = port
        self.key = key
        self.issuer = issuer
        self.server = server
        self.state = state
    }

    /// How often somebody tried to exchange a code.
    var exchanges: Int { state.value.withLock { $0.exchanges } }

    /// The header fields of the exchanges, in order.
    var exchangeHeaders: [HTTPHeaders] { state.value.withLock { $0.exchangeHeaders } }

    /// Starts one on a free port.
    static func start(now: @escaping @Sendable () -> Date) async throws -> SmallProvider {
        let key = try SigningKey.generate(.es256, keyID: "one")
        let state = SharedState()
        var router = Router()
        router.on(.get, "/.well-known/openid-configuration") { _ in .json(metadata(state.issuer)) }
        router.on(.get, "/keys") { _ in .json(["keys": .array([key.publicJSON])] as JSONValue) }
        router.on(.post, "/token") { request in
            state.value.withLock { $0.exchangeHeaders.append(request.headers) }
            return token(request, state, key, now: now())
        }
        let port = try HeldPort()
        let issuer = "http://127.0.0.1:\(port.number)"
        state.value.withLock { $0.issuer = issuer }
        let server = try await HTTPServer.start(
            .init(listeners: [.tcp(host: "127.0.0.1", port: UInt16(port.number))], loops: 1), router: router)
        return SmallProvider(issuer: issuer, port: port, server: server, state: state, key: key)
    }

    func stop() async {
        await server.stop(drain: .zero)
    }

    private static func metadata(_ issuer: String) -> JSONValue {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "end_session_endpoint": .string(issuer + "/sign-out"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
    }
}

extension SmallProvider {
    /// What the browser was sent here with; nil when the address is not this provider's.
    func request(_ address: String?) -> FormFields? {
        let parts = (address ?? "").split(separator: "?", maxSplits: 1)
        guard parts.count == 2, parts[0] == issuer + "/authorize" else { return nil }
        return try? FormURLEncoded.decode(String(parts[1]))
    }

    /// Signs somebody in: the fields that the browser brings to the gateway's callback.
    func approve(_ request: FormFields, _ account: Account = Account()) -> [(String, String)] {
        let code = Base64URL.encode(SecureRandom.bytes(18))
        state.value.withLock { $0.grants[code] = Grant(account: account, request: request) }
        return [("code", code), ("state", request["state"] ?? ""), ("iss", issuer)]
    }

    /// Signs claims by the provider's key.
    func sign(_ claims: JSONValue) throws -> String { try key.sign(payload: claims.encoded()) }

    /// The person says no.
    func deny(_ request: FormFields, error: String = "access_denied") -> [(String, String)] {
        [
            ("error", error), ("error_description", "<b>no</b>"), ("state", request["state"] ?? ""), ("iss", issuer),
        ]
    }

    private static func token(
        _ request: ServerRequest, _ state: SharedState, _ key: SigningKey, now: Date
    ) -> ServerResponse {
        let form = (try? request.form()) ?? FormFields()
        let code = form["code"] ?? ""
        let grant = state.value.withLock { state in
            state.exchanges += 1
            return state.grants.removeValue(forKey: code)
        }
        let isKnown = form["client_id"] == clientID && form["client_secret"] == clientSecret
        guard isKnown else { return .json(["error": "invalid_client"] as JSONValue, status: .unauthorized) }
        guard let grant, form["redirect_uri"] == grant.request["redirect_uri"],
            let verifier = form["code_verifier"].flatMap(PKCE.Verifier.init),
            grant.request["code_challenge"] == verifier.challenge.text
        else { return .json(["error": "invalid_grant"] as JSONValue, status: .badRequest) }
        let seconds = now.timeIntervalSince1970.rounded(.down)
        var claims: JSONValue = [
            "iss": .string(state.issuer), "sub": .string(grant.account.subject), "aud": .string(clientID),
            "iat": .number(seconds), "exp": .number(seconds + 300), "nonce": .string(grant.request["nonce"] ?? ""),
            "email": .string(grant.account.email), "email_verified": .bool(grant.account.isVerified),
            "name": grant.account.name.map(JSONValue.string) ?? .null,
        ]
        if let session = grant.account.sessionID {
            claims = .object((claims.members ?? []) + [.init("sid", .string(session))])
        }
        if !grant.account.methods.isEmpty {
            let methods = JSONValue.array(grant.account.methods.map { .string($0) })
            claims = .object((claims.members ?? []) + [.init("amr", methods)])
        }
        if let time = grant.account.authTime { claims = .object((claims.members ?? []) + [.init("auth_time", time)]) }
        guard let token = try? key.sign(payload: claims.encoded()) else {
            return ServerResponse(status: .internalServerError)
        }
        return .json(
            ["access_token": "of-the-provider", "token_type": "Bearer", "id_token": .string(token)] as JSONValue)
    }
}
