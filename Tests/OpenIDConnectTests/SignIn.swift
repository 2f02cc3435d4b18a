import Crypto
import FoundationEssentials
import HTTPClient
import OAuth
import OpenIDConnect
import ScriptedProvider
import Wire

/// A relying party and its provider, and one person's way between them.
struct SignIn {
    /// The moment at which every test of the claims stands.
    static let seconds = 1_800_000_000.0
    static let redirect = "http://127.0.0.1:9/auth/oauth/callback"

    let provider: ScriptedProvider
    let party: RelyingParty
    private let client: HTTPClient

    init(_ script: ProviderScript, _ change: (inout ProviderSettings) -> Void = { _ in }) async throws {
        provider = try await ScriptedProvider.start(script, at: Self.seconds)
        client = try HTTPClient(HTTPClient.Configuration(proxy: ""))
        var settings = ProviderSettings(
            issuer: provider.issuer, clientID: ScriptedProvider.clientID,
            authentication: .basic(Secret(ScriptedProvider.clientSecret)))
        change(&settings)
        party = RelyingParty(settings, client: client) { Date(timeIntervalSince1970: Self.seconds) }
    }

    /// The whole way once; who compares `state` is the caller of a relying party, and does not here.
    func identity() async throws -> ProviderIdentity {
        let verifier = PKCE.Verifier()
        let nonce = Base64URL.encode(SecureRandom.bytes(16))
        let address = try await party.authorizationURL(
            redirect: Self.redirect, state: State(), nonce: nonce, challenge: verifier.challenge)
        return try await party.identity(
            callback: provider.callback(for: address), redirect: Self.redirect, nonce: nonce, verifier: verifier)
    }

    func stop() async {
        await client.close()
        await provider.stop()
    }
}
