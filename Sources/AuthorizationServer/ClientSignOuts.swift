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
    private let queues = NoticeQueues()

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

    /// Returns the work that tells each client the sign-outs that are due, at most two at a time. The work for one client
    /// does not wait for that of another. A client that is still being told, or that did not respond lately, has none.
    ///
    /// - Throws: `DatabaseError`.
    package func due() async throws -> [@Sendable () async -> Void] {
        var work: [@Sendable () async -> Void] = []
        for client in try await store.dueClients() {
            let count = queues.begin(client, at: services.now())
            for _ in 0..<count { work.append { await notify(client) } }
        }
        return work
    }

    /// Closes all connections.
    package func close() async {
        await sender.close()
    }

    /// Tells a client its sign-outs one after another, until none is due or it does not respond.
    private func notify(_ client: String) async {
        defer { queues.end(client) }
        do {
            try await store.trim(client)
            var settled: SessionID?
            while !Task.isCancelled, queues.isOpen(client, at: services.now()),
                let signOut = try await store.next(of: client, removing: settled)
            {
                settled = try await send(signOut)
            }
            if let settled { try await store.remove(settled) }
        } catch {
            services.log.warning("A client could not be told that its session has ended; trying again.")
        }
    }

    /// Sends a sign-out. Returns its session when the client need not be told again.
    private func send(_ signOut: ClientSignOut) async throws -> SessionID? {
        let client = try await services.clients.client(signOut.client)
        // The client may have been removed, or changed, since.
        guard let address = client.map(\.signOut.address) ?? signOut.address else { return signOut.session }
        let status = await sender.post([("logout_token", try await token(signOut))], to: address)
        try Task.checkCancellation()
        guard status?.isSuccess != true else {
            queues.responded(signOut.client)
            return signOut.session
        }
        let isLast = signOut.attempts >= ClientSignOutStore.maximumAttempts
        services.log.warning(
            isLast
                ? "A client was not told that its session has ended."
                : "A client could not be told that its session has ended; trying again.",
            ["client": .text(signOut.client), "status": status.map { .number($0.rawValue) }])
        // Otherwise only this sign-out was refused.
        if let status, status.rawValue < 500, status != .tooManyRequests {
            queues.responded(signOut.client)
        } else {
            queues.failed(signOut.client, at: services.now())
            // What else is due would fail as well.
            let dropped = try await store.postpone(signOut.client)
            if dropped > 0 {
                services.log.warning(
                    "A client was not told that its sessions have ended.",
                    ["client": .text(signOut.client), "count": .number(dropped)])
            }
        }
        return isLast ? signOut.session : nil
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
