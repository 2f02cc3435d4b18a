import Crypto
import FoundationEssentials
import Primitives
import Synchronization

/// The issued codes, access tokens and browser sessions, in memory only.
final class Grants: Sendable {
    private struct Code: Sendable {
        let grant: Grant
        var isRedeemed = false
    }

    private struct AccessToken: Sendable {
        let grant: Grant
        let code: String
    }

    private struct State: Sendable {
        var codes = ExpiringTable<Code>()
        var tokens = ExpiringTable<AccessToken>()
        var sessions = ExpiringTable<ProviderSession>()
        var clients: [String: RegisteredClient] = [:]
    }

    private let state = Mutex(State())
    private let configuration: DevelopmentProvider.Configuration

    init(_ configuration: DevelopmentProvider.Configuration) {
        self.configuration = configuration
        for client in configuration.clients { register(client) }
    }

    func register(_ client: RegisteredClient) {
        state.withLock { $0.clients[client.id] = client }
    }

    func client(_ id: String) -> RegisteredClient? {
        state.withLock { $0.clients[id] }
    }

    func issueCode(for grant: Grant) -> String {
        let code = Base64URL.encode(SecureRandom.bytes(24))
        let now = configuration.now()
        state.withLock {
            $0.codes.store(
                Code(grant: grant), under: code, until: now + configuration.codeLifetime.seconds, now: now)
        }
        return code
    }

    /// Redeems a code. A second use revokes the access tokens of the first.
    ///
    /// Source: RFC 6749 §4.1.2 and §10.5.
    func redeemCode(_ text: String, client: String) -> Grant? {
        let now = configuration.now()
        return state.withLock { state in
            guard var code = state.codes.find(text, now: now), code.grant.clientID == client else { return nil }
            guard !code.isRedeemed else {
                state.tokens.remove { $0.code == text }
                return nil
            }
            code.isRedeemed = true
            state.codes.replace(text, by: code)
            return code.grant
        }
    }

    /// Registers an access token: `token`, or a new opaque one when it is nil. Returns the token.
    func issueAccessToken(_ token: String? = nil, for grant: Grant, code: String) -> String {
        let token = token ?? Base64URL.encode(SecureRandom.bytes(24))
        let now = configuration.now()
        state.withLock {
            $0.tokens.store(
                AccessToken(grant: grant, code: code), under: token, until: now + configuration.tokenLifetime.seconds,
                now: now)
        }
        return token
    }

    func grant(ofAccessToken token: String) -> Grant? {
        let now = configuration.now()
        return state.withLock { $0.tokens.find(token, now: now)?.grant }
    }

    /// Creates a session and returns its name for the browser's cookie.
    func beginSession(_ session: ProviderSession) -> String {
        let name = Base64URL.encode(SecureRandom.bytes(24))
        let now = configuration.now()
        state.withLock {
            $0.sessions.store(session, under: name, until: now + configuration.sessionLifetime.seconds, now: now)
        }
        return name
    }

    func session(_ name: String) -> ProviderSession? {
        let now = configuration.now()
        return state.withLock { $0.sessions.find(name, now: now) }
    }

    func consent(_ name: String, to client: String, scopes: Set<String>) {
        let now = configuration.now()
        state.withLock { state in
            guard var session = state.sessions.find(name, now: now) else { return }
            session.consents[client] = scopes
            state.sessions.replace(name, by: session)
        }
    }
}
