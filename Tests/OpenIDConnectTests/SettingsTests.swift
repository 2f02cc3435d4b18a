import Crypto
import HTTPMessages
import OAuth
import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct SettingsTests {
    @Test(
        "An issuer must be https, or plain http on loopback",
        arguments: [
            ("https://id.example.org", true), ("https://192.168.1.2:8443/realms/home", true),
            ("https://id.example.org/", true), ("http://127.0.0.1:8080", true), ("http://127.8.0.1", true),
            ("http://[::1]:9000/a", true), ("http://localhost:9000", true), ("http://192.168.1.2", false),
            ("http://id.example.org", false), ("http://localhost.example.org", false),
            ("http://127.0.0.1.nip.io", false),
            ("https://id.example.org?a=b", false), ("https://id.example.org#a", false),
            ("https://u:p@example.org", false),
            ("ftp://id.example.org", false), ("id.example.org", false), ("", false), ("https://", false),
            ("https://id.example.org/a b", false), ("http://127.0.0.1@example.org", false),
        ])
    func issuers(_ issuer: String, _ isGood: Bool) {
        let settings = ProviderSettings(issuer: issuer, clientID: "a")
        if isGood {
            #expect(throws: Never.self) { try settings.check() }
        } else {
            let error = #expect(throws: OpenIDConnectError.self) { try settings.check() }
            #expect(error?.code == .misconfigured)
        }
    }

    @Test("Invalid settings are reported before any redirect")
    func invalidSettings() {
        let good = ProviderSettings(issuer: "https://id.example.org", clientID: "a")
        let changes: [(inout ProviderSettings) -> Void] = [
            { $0.clientID = "" }, { $0.scopes = ["openid email"] }, { $0.scopes = [""] },
            { $0.parameters = [("state", "x")] }, { $0.parameters = [("redirect_uri", "x")] },
            { $0.authentication = .apple(teamID: "a", keyID: "b", key: Secret("no key")) },
            { $0.authentication = .apple(teamID: "", keyID: "b", key: Secret(AppleKey.pem)) },
        ]
        for change in changes {
            var settings = good
            change(&settings)
            let error = #expect(throws: OpenIDConnectError.self) { try settings.check() }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("no key") == false)
        }
        #expect(throws: Never.self) { try good.check() }
    }

    @Test("The authorization URL contains every parameter once, including its own")
    func address() async throws {
        let signIn = try await SignIn(
            ProviderScript { $0.discovery = { $0["authorization_endpoint"] = "http://127.0.0.1:9/authorize?tenant=a" } }
        ) {
            $0.scopes = ["email"]
            $0.responseMode = .formPost
            $0.parameters = [("prompt", "select_account"), ("hd", "example.org")]
        }
        let verifier = PKCE.Verifier()

        let address = try await signIn.party.authorizationURL(
            redirect: "https://a.example/cb", state: State("s"), nonce: "n", challenge: verifier.challenge,
            extra: [("prompt", "login"), ("state", "stolen")])
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let fields = try FormURLEncoded.decode(parts[1])

        #expect(parts[0] == "http://127.0.0.1:9/authorize")
        #expect(
            fields.pairs.map { "\($0.name)=\($0.value)" } == [
                "tenant=a", "response_type=code", "client_id=latch client:1", "redirect_uri=https://a.example/cb",
                "scope=openid email", "state=s", "code_challenge=\(verifier.challenge.text)",
                "code_challenge_method=S256", "nonce=n", "response_mode=form_post", "hd=example.org", "prompt=login",
            ])
        await signIn.stop()
    }

    @Test(
        "A provider with https may not name an http address",
        arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"])
    func plainEndpoints(_ name: String) throws {
        let issuer = "https://id.example.org/a"
        var members = JSONMembers([
            ("issuer", .string(issuer)), ("authorization_endpoint", "https://id.example.org/authorize"),
            ("token_endpoint", "https://other.example.org/token"), ("jwks_uri", "https://id.example.org/keys"),
            ("userinfo_endpoint", "https://10.0.0.1/me"),
        ])
        let metadata = try ProviderMetadata(parsing: members.encoded, issuer: issuer)
        #expect(metadata.tokenEndpoint == "https://other.example.org/token")
        #expect(!metadata.sendsIssuerInResponses && metadata.signingAlgorithms.isEmpty)

        for address: JSONValue in ["http://id.example.org/x", "http://127.0.0.1/x", "/x", "https://a:b@c.org/", 7, ""] {
            members[name] = address
            let error = #expect(throws: OpenIDConnectError.self) {
                try ProviderMetadata(parsing: members.encoded, issuer: issuer)
            }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains(name) == true)
        }
    }
}
