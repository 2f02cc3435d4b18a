public import FoundationEssentials
public import HTTPClient
import JOSE
public import OAuth

/// The gateway's end towards one identity provider: sends a person there and believes what comes back only after every
/// check.
///
/// What the provider says of itself and its keys are fetched when first needed, once for everybody who waits, and held for
/// an hour; the keys are fetched again when a signature fits none, but not more often than every ten seconds. A provider
/// that is down is asked again after three seconds.
///
/// Source: OpenID Connect Core §3.1; RFC 9700 §2.1; RFC 9207.
public final class RelyingParty: Sendable {
    let settings: ProviderSettings
    let requests: ProviderRequests
    let now: @Sendable () -> Date
    let provider: CachedFetch<ProviderMetadata>
    let keys: CachedFetch<JSONWebKeySet>

    /// Makes a relying party; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - settings: The provider; what cannot work in them is told by every call.
    ///   - client: Whom it is asked through, which holds an authority of one's own if need be.
    ///   - now: The wall clock that tokens are judged by.
    public convenience init(
        _ settings: ProviderSettings, client: HTTPClient, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(settings, client: client, now: now, elapsed: { .now })
    }

    init(
        _ settings: ProviderSettings, client: HTTPClient, now: @escaping @Sendable () -> Date,
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.settings = settings
        self.now = now
        let requests = ProviderRequests(issuer: settings.issuer, client: client, timeout: settings.timeout)
        self.requests = requests
        let provider = CachedFetch(now: elapsed) { try await Self.discover(settings, requests) }
        self.provider = provider
        keys = CachedFetch(now: elapsed) { try await Self.fetchKeys(await provider.current().value, requests) }
    }

    /// What the provider says of itself.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    public func metadata() async throws -> ProviderMetadata {
        try await provider.current().value
    }

    /// How many keys the provider has that ID tokens can be checked by; asked for unless held already.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    public func keyCount() async throws -> Int {
        try await keys.current().value.keys.count
    }

    /// The address to send the person's browser to.
    ///
    /// - Parameters:
    ///   - redirect: Where the answer shall come.
    ///   - state: Ties the answer to this browser.
    ///   - nonce: Ties the ID token to this request.
    ///   - challenge: Ties the code to the verifier that ``identity(callback:redirect:nonce:verifier:)`` is given.
    ///   - extra: Further parameters; one that is the request's own business is left out.
    /// - Returns: The address, with a query.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.2.1; RFC 7636 §4.3.
    public func authorizationURL(
        redirect: String, state: State, nonce: String, challenge: PKCE.Challenge, extra: [(String, String)] = []
    ) async throws -> String {
        let endpoint = try await metadata().authorizationEndpoint
        var request = AuthorizationRequest(
            clientID: settings.clientID, redirect: redirect, scope: settings.scope, state: state, challenge: challenge,
            nonce: nonce)
        if let mode = settings.responseMode { request.extra.append(("response_mode", mode.rawValue)) }
        let further = extra.filter { !ProviderSettings.ownParameters.contains($0.0) }
        let overridden = Set(further.map(\.0))
        request.extra += settings.parameters.filter { !overridden.contains($0.0) } + further
        do {
            return try request.url(endpoint: endpoint)
        } catch {
            throw OpenIDConnectError(
                .badAnswer, "Could not send anybody to '\(settings.issuer)': \(error.message)", cause: error)
        }
    }
}
