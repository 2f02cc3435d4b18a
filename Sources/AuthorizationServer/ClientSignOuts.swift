import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
import HTTPMessages
import JOSE

/// Tells clients that their sessions have ended, with signed logout tokens.
///
/// Source: OpenID Connect Back-Channel Logout 1.0.
package struct ClientSignOuts: Sendable {
    private let services: GatewayServices
    private let store: ClientSignOutStore
    private let sender: NoticeSender
    private let issuer: String

    private static let lifetime = Duration.seconds(120)
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Creates a value. Nil when the authorization server is off.
    ///
    /// - Throws: `TransportError` when the system's certificate authorities cannot be read.
    package init?(services: GatewayServices) throws {
        guard services.clientSessions != nil, let issuer = services.address.configured else { return nil }
        self.services = services
        self.issuer = issuer
        store = ClientSignOutStore(database: services.database, now: services.now)
        sender = try NoticeSender()
    }

    /// Tells clients the sign-outs that are due. A client that does not accept one is told again later, a few times.
    ///
    /// - Throws: Errors of the stores.
    package func send() async throws {
        let due = try await store.take()
        guard !due.isEmpty else { return }
        await withTaskGroup { group in
            for signOut in due { group.addTask { await self.send(signOut) } }
        }
    }

    /// Closes all connections.
    package func close() async {
        await sender.close()
    }

    private func send(_ signOut: ClientSignOut) async {
        do {
            let client = try await services.clients.client(signOut.client)
            // The client may have been removed, or changed, since.
            guard let address = client.map(\.signOut.address) ?? signOut.address else {
                return try await store.remove(signOut.session)
            }
            let status = await sender.post([("logout_token", try await token(signOut))], to: address)
            let isDone = status?.isSuccess ?? false
            guard !isDone else { return try await store.remove(signOut.session) }
            let isLast = signOut.attempts >= ClientSignOutStore.maximumAttempts
            services.log.warning(
                isLast
                    ? "A client was not told that its session has ended."
                    : "A client could not be told that its session has ended; trying again.",
                ["client": .text(signOut.client), "status": status.map { .number($0.rawValue) }])
            if isLast { try await store.remove(signOut.session) }
        } catch {
            services.log.warning("A client could not be told that its session has ended; trying again.")
        }
    }

    /// Source: OpenID Connect Back-Channel Logout 1.0 §2.4.
    private func token(_ signOut: ClientSignOut) async throws -> String {
        let now = services.now()
        let expiry = now + Self.lifetime
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(OAuthRoutes.subject(signOut.person)), "aud": .string(signOut.client),
            "iat": .number(now.timeIntervalSince1970.rounded(.down)),
            "exp": .number(expiry.timeIntervalSince1970.rounded(.down)),
            "jti": .string(Base64URL.encode(SecureRandom.bytes(16))), "sid": .string(signOut.session.rawValue),
            "events": [Self.event: [:]],
        ]
        return try await services.signingKeys.signer(until: expiry).sign(payload: claims.encoded(), type: "logout+jwt")
    }
}
