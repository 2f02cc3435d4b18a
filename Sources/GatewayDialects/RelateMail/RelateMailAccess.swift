import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OpenIDConnect
import SignInBridge

/// The authenticated caller of a request.
package struct RelateMailCaller: Sendable {
    /// How the caller was authenticated.
    enum Proof: Sendable {
        /// One of the person's API keys.
        case key(KnownAPIKey)
        /// A session of this server.
        case session(Session)
        /// An access token of the identity provider with this id. `authenticated` is when the person signed in there;
        /// nil when the token does not contain it.
        case token(provider: String, authenticated: Date?)
    }

    let person: Person
    let proof: Proof

    /// The key of the caller; nil when the caller has no key.
    var key: KnownAPIKey? {
        if case .key(let key) = proof { key } else { nil }
    }

    /// What every write of the request checks again.
    var credential: RequestActor.Credential {
        switch proof {
        case .key(let key): .key(key.id)
        case .session(let session): .session(session.id)
        case .token: .person(person.id, epoch: person.sessionEpoch)
        }
    }

    /// Whose limit the changes of the request count for.
    var limited: RequestCaller {
        switch proof {
        case .key(let key): .key(key.id)
        case .session(let session): session.caller
        case .token: .person(person.id)
        }
    }

    /// The scopes that this caller may grant to a new key.
    var givableScopes: APIKeyScopes { key?.scopes ?? .all }
}

/// Why a request is refused.
enum RelateMailRefusal: Error {
    /// The request has no credentials.
    case anonymous
    /// The credentials are invalid.
    case unauthorized
    /// The provider authenticated the person, but this server does not admit the person. The sentence gives the reason.
    case forbidden(String)
    /// Too many requests; the caller must wait for the given time.
    case limited(Duration)
    /// The identity provider does not respond.
    case providerUnavailable
}

/// Authenticates requests by an API key, a session of this server, or a token of the identity provider.
///
/// All of them are sent in the `Authorization` field, never in a query, a cookie or another field. A key can have the
/// scheme `ApiKey` or `Bearer`. Credentials that are in memory need no access to the database. All others count against
/// the client's address before they are checked.
///
/// Source: docs/protocols/relate-mail.md, Access tokens, API keys, Scopes and Rate limits.
package struct RelateMailAccess: Sendable {
    private enum Credential {
        case key(String)
        /// The token of a session, or of the provider.
        case token(String)
    }

    let services: GatewayServices
    private let verifier: AccessTokenVerifier?
    private let provider: ProviderConfiguration?

    init(_ services: GatewayServices) {
        self.services = services
        let settings = services.settings
        let provider = settings.relateMailProvider.flatMap { services.bridge?.providers[$0.id] }
        self.provider = provider?.configuration
        verifier = provider.flatMap { provider in
            settings.relateMailToken.map { AccessTokenVerifier(provider.party, expecting: $0) }
        }
    }

    /// Authenticates the caller of a request and counts the request against its limit.
    ///
    /// - Throws: ``RelateMailRefusal``; errors of the database.
    func caller(of request: ServerRequest, _ limit: RelateMailLimit) async throws -> RelateMailCaller {
        let address = services.proxies.client(of: request)
        let caller: RelateMailCaller
        switch Self.credential(of: request) {
        case .none:
            try consume(.address, .from(address))
            throw request.headers["Authorization"] == nil
                ? RelateMailRefusal.anonymous : refused(RelateMailRefusal.unauthorized)
        case .key(let text)?: caller = try await self.caller(key: text, from: address)
        case .token(let text)?: caller = try await self.caller(token: text, from: address)
        }
        guard !services.mustChangePassword(caller.person) else {
            throw RelateMailRefusal.forbidden(services.passwordChangeSentence)
        }
        if let wait = wait(of: caller, limit) { throw RelateMailRefusal.limited(wait) }
        return caller
    }

    private func wait(of caller: RelateMailCaller, _ limit: RelateMailLimit) -> Duration? {
        let person = caller.person.id
        switch limit {
        // Always of the person. Otherwise a caller would get a new limit with each new key.
        case .credentials: return services.limits.consume(.credentials, .person(person))
        case .general: return services.limits.consume(.general, caller.key.map { .key($0.id) } ?? .person(person))
        case .change(let change): return services.limits.consume(change, by: caller.limited, of: person)
        }
    }

    private func consume(_ kind: RequestLimits.Kind, _ caller: RequestCaller) throws(RelateMailRefusal) {
        if let wait = services.limits.consume(kind, caller) { throw .limited(wait) }
    }

    private func refused(_ refusal: RelateMailRefusal) -> RelateMailRefusal {
        services.metrics.apiKey(.refused)
        return refusal
    }

    private static func credential(of request: ServerRequest) -> Credential? {
        let fields = request.headers.values("Authorization")
        guard fields.count == 1, let field = fields.first else { return nil }
        if let key = BearerToken.credentials(field, scheme: "apikey") { return .key(key) }
        return BearerToken.token(field).map { APIKeyStore.isKey($0) ? .key($0) : .token($0) }
    }

    private func caller(key text: String, from address: ClientAddress) async throws -> RelateMailCaller {
        var known = services.apiKeys.cachedAuthentication(text)
        if known == nil {
            try consume(.address, .from(address))
            known = try await services.apiKeys.authenticate(text)
        }
        guard let known, !known.scopes.isDisjoint(with: .web) else { throw refused(.unauthorized) }
        return RelateMailCaller(person: known.person, proof: .key(known))
    }

    private func caller(token text: String, from address: ClientAddress) async throws -> RelateMailCaller {
        if case .valid(let session)? = services.issuer.cachedAuthentication(text) {
            return RelateMailCaller(person: session.person, proof: .session(session))
        }
        try consume(.address, .from(address))
        switch try await services.issuer.authenticate(text) {
        case .valid(let session), .passwordChangeRequired(let session):
            return RelateMailCaller(person: session.person, proof: .session(session))
        case .expired, .terminated, .proofRequired: throw refused(.unauthorized)
        case .unrecognized: return try await caller(providerToken: Secret(text))
        }
    }
}

extension RelateMailAccess {
    private func caller(providerToken token: Secret) async throws -> RelateMailCaller {
        guard let verifier, let provider else { throw refused(.unauthorized) }
        let person: Person
        let authenticated: Date?
        do {
            var identity = try await verifier.identity(of: token)
            if try await needsEmail(identity, provider) {
                identity = try await verifier.completing(identity, with: token)
            }
            authenticated = identity.authenticated
            // Tokens do not update groups, only a sign-in does. An older token would restore groups that have been
            // removed since.
            //
            // The clock of the provider may be ahead.
            let issued = identity.issued.map { $0 - provider.settings.maximumClockSkew } ?? .distantPast
            person = try await services.people.person(
                for: identity, at: provider, renewingGroups: false, identifiedAt: issued)
            if let session = identity.sessionID,
                try await services.sessions.isSignedOut(session, at: provider.id)
            {
                throw GatewayError(.signedOut, "The person signed out at the identity provider.")
            }
        } catch let error as OpenIDConnectError {
            throw refusal(error)
        } catch let error as GatewayError where error.code == .signedOut {
            throw refused(.unauthorized)
        } catch let error as GatewayError {
            let failure = BridgeFailure(error)
            guard failure.outcome == .refused else { throw error }
            throw refused(.forbidden(failure.sentence))
        }
        return RelateMailCaller(
            person: person, proof: .token(provider: provider.id, authenticated: authenticated))
    }

    /// Whether the verified e-mail address is needed and the token does not contain it. It is needed for a new person,
    /// and for everyone when the provider is restricted to certain domains.
    private func needsEmail(_ identity: ProviderIdentity, _ provider: ProviderConfiguration) async throws -> Bool {
        if identity.email != nil, identity.isEmailVerified { return false }
        if !provider.domains.isEmpty { return true }
        return try await !services.people.knows(identity, at: provider)
    }

    private func refusal(_ error: OpenIDConnectError) -> RelateMailRefusal {
        switch error.code {
        case .invalidToken:
            services.log.debug("A token of an identity provider was refused.", ["error": .text(error.message)])
            return refused(.unauthorized)
        default:
            services.log.warning(
                "A token of an identity provider could not be checked.", ["error": .text(error.message)])
            return .providerUnavailable
        }
    }
}
