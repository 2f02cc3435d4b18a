package import FoundationEssentials
package import HTTPClient
import JOSE
package import OAuth

/// The client of one identity provider. It sends people there to sign in and verifies every response.
///
/// The provider's metadata and keys are fetched on first use, shared by concurrent callers, and cached for an hour. If
/// no key matches a signature, the keys are fetched again, but at most every ten seconds. After a failure, the provider
/// is not contacted again for three seconds.
///
/// Source: OpenID Connect Core §3.1; RFC 9700 §2.1; RFC 9207.
package final class RelyingParty: Sendable {
    let settings: ProviderSettings
    let requests: ProviderRequests
    let now: @Sendable () -> Date
    let provider: CachedFetch<ProviderMetadata>
    let keys: CachedFetch<JSONWebKeySet>

    /// Makes a relying party. Sends no request.
    ///
    /// - Parameters:
    ///   - settings: The settings of the provider. If they are invalid, every call throws.
    ///   - client: The HTTP client for requests to the provider. It may have its own certificate authorities.
    ///   - now: The wall clock for the validity of tokens.
    package convenience init(
        _ settings: ProviderSettings, client: HTTPClient, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(settings, client: client, now: now, elapsed: { .now })
    }

    /// Makes a relying party of a provider whose metadata are known. Sends no request.
    ///
    /// - Parameters:
    ///   - settings: The settings of the provider.
    ///   - metadata: The metadata of the provider.
    ///   - client: The HTTP client for requests to the provider.
    ///   - now: The wall clock for the validity of tokens.
    package convenience init(
        _ settings: ProviderSettings, metadata: ProviderMetadata, client: HTTPClient,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(settings, metadata: metadata, client: client, now: now, elapsed: { .now })
    }

    init(
        _ settings: ProviderSettings, metadata: ProviderMetadata? = nil, client: HTTPClient,
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.settings = settings
        self.now = now
        let requests = ProviderRequests(issuer: settings.issuer, client: client, timeout: settings.timeout)
        self.requests = requests
        let provider = CachedFetch(now: elapsed) {
            if let metadata { metadata } else { try await Self.discover(settings, requests) }
        }
        self.provider = provider
        keys = CachedFetch(now: elapsed) { try await Self.fetchKeys(await provider.current().value, requests) }
    }

    /// Returns the metadata of the provider.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    package func metadata() async throws -> ProviderMetadata {
        try await provider.current().value
    }

    /// Returns the number of the provider's keys that can verify ID tokens. Fetches the keys unless they are cached.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    package func keyCount() async throws -> Int {
        try await keys.current().value.keys.count
    }

    /// Returns the URL to which to send the person's browser.
    ///
    /// - Parameters:
    ///   - redirect: The redirect address for the response.
    ///   - state: The value that ties the response to this browser.
    ///   - nonce: The value that ties the ID token to this request.
    ///   - challenge: The PKCE challenge, which ties the code to the verifier for
    ///     ``identity(callback:redirect:nonce:verifier:freshSince:)``.
    ///   - extra: Further parameters. Those that the request sets itself are ignored.
    /// - Returns: The URL, with a query.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.2.1; RFC 7636 §4.3.
    package func authorizationURL(
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
                .invalidResponse, "Could not create the sign-in request for '\(settings.issuer)': \(error.message)",
                cause: error)
        }
    }
}
