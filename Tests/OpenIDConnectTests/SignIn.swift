import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import HTTPServer
import OAuth
import ScriptedProvider
import Synchronization

@testable import OpenIDConnect

/// A relying party and its provider, and one person's way between them.
struct SignIn {
    /// The moment at which every test of the claims stands.
    static let seconds = 1_800_000_000.0
    static let redirect = "http://127.0.0.1:9/auth/oauth/callback"

    let provider: ScriptedProvider
    let party: RelyingParty
    private let client: HTTPClient
    private let progress = Progress()

    init(
        _ script: ProviderScript, credentials: TLSCredentials? = nil, authority: String? = nil,
        _ change: (inout ProviderSettings) -> Void = { _ in }
    ) async throws {
        provider = try await ScriptedProvider.start(script, at: Self.seconds, credentials: credentials)
        client = try HTTPClient(
            HTTPClient.Configuration(authorities: authority.map { .only(pemFile: $0) } ?? .system, proxy: ""))
        var settings = ProviderSettings(
            issuer: provider.issuer, clientID: ScriptedProvider.clientID,
            authentication: .basic(Secret(ScriptedProvider.clientSecret)))
        change(&settings)
        let progress = progress
        party = RelyingParty(
            settings, client: client, now: { Date(timeIntervalSince1970: Self.seconds) }, elapsed: { progress.moment })
    }

    /// Whether the person was sent to the provider.
    var wasSent: Bool { progress.wasSent }

    /// Lets time pass for what is held.
    func wait(_ time: Duration) {
        progress.add(time)
    }

    /// The whole way once; who compares `state` is the caller of a relying party, and does not here.
    func identity(
        freshSince: Date? = nil, _ change: (inout FormFields) -> Void = { _ in }
    ) async throws -> ProviderIdentity {
        let verifier = PKCE.Verifier()
        let nonce = Base64URL.encode(SecureRandom.bytes(16))
        let address = try await party.authorizationURL(
            redirect: Self.redirect, state: State(), nonce: nonce, challenge: verifier.challenge)
        progress.send()
        var callback = try provider.callback(for: address)
        change(&callback)
        return try await party.identity(
            callback: callback, redirect: Self.redirect, nonce: nonce, verifier: verifier, freshSince: freshSince)
    }

    func stop() async {
        await client.close()
        await provider.stop()
    }
}

/// A clock that only tests move, and whether the person was sent away.
private final class Progress: Sendable {
    private let time = Mutex(ContinuousClock.now)
    private let isSent = Mutex(false)

    var wasSent: Bool { isSent.withLock { $0 } }

    func send() {
        isSent.withLock { $0 = true }
    }

    var moment: ContinuousClock.Instant { time.withLock { $0 } }

    func add(_ duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
