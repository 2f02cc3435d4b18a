import Crypto
import HTTPClient
import HTTPMessages
import JOSE
import LatchSandbox
import OAuth
import OpenIDConnect
import TestSupport
import Testing

/// The gateway's own relying party at the provider: what is right is believed, and nothing else.
@Suite(.timeLimit(.minutes(20))) struct RelyingPartyTests {
    private func settings(
        _ app: RelyingApp, isPublic: Bool = false, timeout: Duration = SuccessTimeout.duration
    ) -> ProviderSettings {
        ProviderSettings(
            issuer: app.provider.issuer, clientID: "the:app",
            authentication: isPublic ? .none : .basic(Secret(RelyingApp.secret)), timeout: timeout)
    }

    /// One sign-in with what the sign-in page's form is given.
    private func signIn(
        _ app: RelyingApp, _ settings: ProviderSettings, action: String = "allow", _ more: [(String, String)] = []
    ) async throws -> ProviderIdentity {
        let party = RelyingParty(settings, client: app.http)
        let state = State()
        let address = try await party.authorizationURL(
            redirect: RelyingApp.redirect, state: state, nonce: "n-1", challenge: app.verifier.challenge)
        let callbackFields = try RelyingApp.callbackFields(await app.fill(address, action: action, more: more))
        guard callbackFields.values("state").map(State.init) == [state] else {
            throw RelyingApp.Failure(text: "other state")
        }
        return try await party.identity(
            callback: callbackFields, redirect: RelyingApp.redirect, nonce: "n-1", verifier: app.verifier)
    }

    @Test("OX-7 a sign-in returns the identity, with each algorithm", arguments: SignatureAlgorithm.allCases)
    func completeSignIn(_ algorithm: SignatureAlgorithm) async throws {
        try await RelyingApp.with(algorithms: SignatureAlgorithm.allCases) { app in
            for claims in ["id_token", "userinfo"] {
                let identity = try await signIn(
                    app, settings(app), [("algorithm", algorithm.rawValue), ("claims", claims)])
                #expect(identity.issuer == app.provider.issuer && identity.subject == "ada")
                #expect(identity.email == "ada@example.org" && identity.isEmailVerified && identity.name == "Ada L")
                #expect(identity.sessionID?.isEmpty == false)
            }
        }
    }

    @Test("OX-7 an invalid code distinguishes a correct client secret, a wrong one and an unknown client")
    func knowsClient() async throws {
        try await RelyingApp.with { app in
            var settings = settings(app)
            let party = RelyingParty(settings, client: app.http)
            let isKnown = try await party.knowsClient(redirect: RelyingApp.redirect)
            #expect(isKnown)
            settings.authentication = .basic(Secret("not the secret of this client"))
            for wrong in [settings, self.settings(app, isPublic: true)] {
                let error = await #expect(throws: OpenIDConnectError.self) {
                    try await RelyingParty(wrong, client: app.http).knowsClient(redirect: RelyingApp.redirect)
                }
                #expect(error?.code == .misconfigured && error?.message.contains("invalid_client") == true)
            }
        }
    }

    @Test("OX-7 a public client and one with client_secret_post can sign in too")
    func otherAuthentication() async throws {
        try await RelyingApp.with { app in
            var settings = settings(app)
            settings.authentication = .post(Secret(RelyingApp.secret))
            let identity = try await signIn(app, settings)
            #expect(identity.subject == "ada")
        }
        try await RelyingApp.with(isPublic: true) { app in
            let identity = try await signIn(app, settings(app, isPublic: true))
            #expect(identity.subject == "ada")
        }
    }

    @Test(
        "OX-7 after each fault there is no identity, or none with a verified e-mail address",
        arguments: Fault.allCases)
    func fault(_ fault: Fault) async throws {
        try await RelyingApp.with { app in
            // Only where somebody comes back must the provider have time.
            let timeout = [.unverifiedEmail, .noEmail].contains(fault) ? SuccessTimeout.duration : .milliseconds(500)
            let outcome: Result<ProviderIdentity, any Error>
            do {
                outcome = .success(try await signIn(app, settings(app, timeout: timeout), [("fault", fault.rawValue)]))
            } catch {
                outcome = .failure(error)
            }
            switch (fault, outcome) {
            case (.unverifiedEmail, .success(let identity)): #expect(!identity.isEmailVerified)
            case (.noEmail, .success(let identity)): #expect(identity.email == nil)
            case (.wrongState, .failure(let error)), (.noState, .failure(let error)):
                #expect(error is RelyingApp.Failure)
            case (_, .failure(let error)): #expect(error is OpenIDConnectError, "\(error)")
            case (_, .success): Issue.record("Somebody is signed in after \(fault.rawValue).")
            }
        }
    }

    @Test("A denial is reported as such")
    func denied() async throws {
        try await RelyingApp.with { app in
            let error = await #expect(throws: OpenIDConnectError.self) {
                _ = try await signIn(app, settings(app), action: "deny")
            }
            #expect(error?.code == .denied && error?.providerError == "access_denied")
        }
    }
}
