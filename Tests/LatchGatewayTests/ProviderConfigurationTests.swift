import Crypto
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway
@testable import SignInBridge

@Suite("The configuration of identity providers")
struct ProviderConfigurationTests: ReadsConfigurations {
    /// A key that was made for this test.
    private static let appleKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkSKaJsoRPoWHLR7j
        02Zl0AxQrXcoGU5tmMibyzA/2XGhRANCAATYuHOwm/OwL7T6i0F5MrSFoEoJVzrv
        leJKnNwjofPPfnH/ecNu3ESeYmtJ26xPBJCt1eLYXwI54nt2RfzDasmw
        -----END PRIVATE KEY-----
        """

    @Test("OX-7 a provider has an id, a kind and the text of its button; google and apple have other defaults")
    func presets() throws {
        let folder = try TemporaryDirectory()
        try folder.write("s3cret\n", to: "google.secret")
        let key = Self.appleKey
        try folder.write(key + "\n", to: "AuthKey.p8")
        let settings = try readSettings(
            """
            public_url: https://latch.example
            providers:
              google: {kind: google, client_id: g.apps, client_secret_file: google.secret, registration: open, domains: [Example.org]}
              apple: {kind: apple, client_id: org.example.latch, team_id: ABCDE12345, key_id: KEY1234567, key_file: AuthKey.p8}
              home:
                title: At home
                issuer: https://id.example/realms/home
                client_id: latch
                client_secret: hunter2-hunter2
                client_authentication: client_secret_post
                scopes: [openid, email]
                audiences: ["2471@project", other]
                parameters: [prompt=login, "acr_values=a=b"]
                link_by_email: yes
                registration: invited
                timeout: 3s
            """, folder: folder.path)

        #expect(settings.providers.map(\.id) == ["google", "apple", "home"])
        let (google, apple, home) = (settings.providers[0], settings.providers[1], settings.providers[2])
        #expect((google.kind, google.title) == (.google, "Google"))
        #expect(google.settings.issuer == "https://accounts.google.com")
        #expect(google.settings.authentication == .basic(Secret("s3cret")))
        #expect(google.settings.scopes == ["openid", "email", "profile"])
        #expect(google.allowsRegistration && !google.invitedOnly && !google.linksByEmail)
        #expect(google.domains == ["example.org"])
        #expect(apple.settings.issuer == "https://appleid.apple.com")
        #expect(apple.settings.responseMode == .formPost)
        #expect(apple.settings.scopes == ["openid", "email", "name"])
        #expect(
            apple.settings.authentication == .apple(teamID: "ABCDE12345", keyID: "KEY1234567", key: Secret(key)))
        #expect((home.kind, home.title) == (.oidc, "At home"))
        #expect(home.settings.authentication == .post(Secret("hunter2-hunter2")))
        #expect(home.settings.trustedAudiences == ["2471@project", "other"])
        #expect(home.settings.parameters.map(\.0) == ["prompt", "acr_values"])
        #expect(home.settings.parameters.map(\.1) == ["login", "a=b"])
        #expect(home.settings.timeout == .seconds(3))
        #expect(home.linksByEmail && home.invitedOnly && !home.allowsRegistration)
    }

    @Test("reads providers from the environment, which takes precedence over the file")
    func environment() throws {
        let settings = try readSettings(
            "providers: {at-home: {issuer: 'https://a.example', client_id: x, client_secret: y}}",
            [
                "LATCHD_PUBLIC_URL": "https://latch.example", "LATCHD_PROVIDERS_AT_HOME_CLIENT_ID": "latch",
                "LATCHD_PROVIDERS_B_ISSUER": "https://b.example", "LATCHD_PROVIDERS_B_CLIENT_ID": "b",
                "LATCHD_PROVIDERS_B_CLIENT_AUTHENTICATION": "none", "LATCHD_PROVIDERS_B_SCOPES": "openid, email",
                "LATCHD_BRIDGE_REDIRECTS": "onyx://auth/callback,other:/done",
                "LATCHD_BRIDGE_LOOPBACK_REDIRECTS": "true",
                "LATCHD_BRIDGE_CODE_LIFETIME": "30s", "LATCHD_BRIDGE_KEY_FILE": "/k",
                "LATCHD_PASSWORDS_ENABLED": "false",
            ])

        #expect(settings.providers.map(\.id) == ["at-home", "b"])
        #expect(settings.providers.map(\.settings.clientID) == ["latch", "b"])
        #expect(settings.providers[1].settings.authentication == .none)
        #expect(settings.providers[1].settings.scopes == ["openid", "email"])
        #expect(settings.bridge.redirects == ["onyx://auth/callback", "other:/done"])
        #expect(settings.bridge.loopbackRedirects)
        #expect(settings.bridge.codeLifetime == .seconds(30))
        #expect(settings.bridge.keyFile == "/k")
        #expect(!settings.passwordsEnabled)
    }

    @Test("a name without keys is a mistake", arguments: ["", "{}"])
    func emptyName(value: String) {
        let reported = configurationErrors("public_url: https://latch.example\nproviders:\n  google: \(value)\n")
        #expect(reported == ["/etc/l.yaml, line 3: providers.google has no keys; add keys, or remove the line."])
    }

    @Test("reports all mistakes at once, with line and nearest spelling, without secrets")
    func reportsAllErrors() throws {
        let folder = try TemporaryDirectory()
        try folder.write("hunter2-hunter2", to: "open", mode: 0o644)
        let reported = configurationErrors(
            """
            public_url: https://latch.example
            providers:
              google:
                kind: googel
              home:
                isuer: https://a.example
                client_id: x
                client_secret: hunter2-hunter2
              other:
                issuer: http://b.example
                client_id: x
                client_secret_file: open
              third:
                issuer: http://b.example
                client_id: x
                client_secret: hunter2-hunter2
              apple:
                kind: apple
                client_id: x
                team_id: short
                client_secret: hunter2-hunter2
              password: {enabled: true}
              My_Id: {}
            """,
            ["LATCHD_PROVIDERS_HOME_CLIENTID": "x", "LATCHD_PROVIDERS_HOME_LINK_BY_EMAIL": "perhaps"],
            folder: folder.path)

        for text in [
            "line 4: providers.google.kind: 'googel' is not valid; it must be oidc or google or apple.",
            "line 6: unknown key 'providers.home.isuer'; did you mean 'providers.home.issuer'?",
            "line 7: providers.home has no issuer; add providers.home.issuer.",
            "line 12: providers.other.client_secret_file: 'open' is not valid: other users can read or change the "
                + "file; run: chmod 600 '",
            "line 14: providers.third: its issuer uses plain http",
            "line 20: providers.apple.team_id: 'short' is not valid; it must be the 10 capital letters",
            "line 21: providers.apple.client_secret does not apply if kind is apple; remove it.",
            "providers.apple has no key_file; add providers.apple.key_file.",
            "line 22: providers.password is not an identity provider; remove it; passwords.enabled controls",
            "line 23: providers has the invalid name 'My_Id'; use only lower-case letters",
            "LATCHD_PROVIDERS_HOME_CLIENTID: no key corresponds to this variable; did you mean "
                + "'LATCHD_PROVIDERS_HOME_CLIENT_ID'?",
            "LATCHD_PROVIDERS_HOME_LINK_BY_EMAIL: providers.home.link_by_email: 'perhaps' is not valid",
        ] {
            #expect(reported.contains { $0.contains(text) }, "\(text): \(reported)")
        }
        #expect(!reported.joined().leaks("hunter2-hunter2"))
    }

    @Test(
        "refuses settings that cannot work",
        arguments: [
            (
                "client_secret: y, callback: /me",
                "providers.a.callback is not a callback path; it must be one of /auth"
            ),
            ("client_id: x", "providers.a has no secret; set providers.a.client_secret_file"),
            ("client_secret: y, client_authentication: none", "client_authentication is none, but there is a secret"),
            ("client_secret: y, team_id: ABCDE12345", "providers.a.team_id does not apply if kind is oidc"),
            ("client_secret: y, parameters: [state=1]", "the parameter 'state' is set by the gateway itself"),
            ("client_secret: y, parameters: [hd]", "it must be name=value"),
            ("client_secret: y, domains: ['@example.org']", "it must be a domain such as example.org"),
            ("client_secret: y, scopes: ['a b']", "it must be a word without spaces"),
            ("client_secret: y, registration: yes", "it must be none or invited or open"),
        ])
    func refused(_ row: String, _ words: String) {
        let known = row.hasPrefix("client_id") ? "" : "client_id: x, "
        let reported = configurationErrors("providers: {a: {issuer: 'https://a.example', \(known)\(row)}}")
        #expect(reported.count == 1 && reported[0].contains(words), "\(reported)")
    }

    @Test(
        "reports when a public URL is required",
        arguments: [
            ("trusted_proxies: 10.0.0.0/8\n", "", "public_url is not set; set public_url to the address"),
            ("public_url: http://latch.example\n", "", "public_url is plain http, but sign-in"),
            ("", ", response_mode: form_post", "responds with a posted form, which requires https"),
            ("public_url: http://127.0.0.1:1\n", ", response_mode: form_post", "responds with a posted form"),
        ])
    func address(_ before: String, _ more: String, _ words: String) {
        let reported = configurationErrors(
            before + "providers: {a: {issuer: 'https://a.example', client_id: x, client_secret: y\(more)}}")
        #expect(reported.count == 1 && reported[0].contains(words), "\(reported)")
    }

    @Test("refuses two providers with one callback, and a server without any sign-in")
    func conflictingProviders() throws {
        let row = "{issuer: 'https://a.example', client_id: x, client_secret: y, callback: /auth/oauth/callback}"
        #expect(
            configurationErrors("providers: {a: \(row), b: \(row)}") == [
                "/etc/l.yaml, line 1: providers.b and providers.a have the same callback; "
                    + "change one of them, or remove both."
            ])
        #expect(configurationErrors("passwords: {enabled: false}").first?.contains("no one can sign in") == true)
        #expect(configurationErrors("bridge: {redirects: ['javascript:x']}").count == 1)
        let off = try readSettings("providers: {a: {enabled: no, kind: google}}")
        #expect(off.providers.isEmpty)
    }

    @Test("lists the keys of a provider with the other keys")
    func listing() {
        for key in ConfigurationFamily.providers.keys("ID") {
            #expect(ConfigurationKey.listing().contains(key.variable))
        }
    }
}
