import Crypto
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore

@Suite("The configuration of the authorization server")
struct OAuthConfigurationTests: ReadsConfigurations {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test("is off by default, and reads clients from the file and the environment")
    func clients() throws {
        #expect(try !readSettings(nil).authorizationServer.isEnabled)
        let folder = try TemporaryDirectory()
        try folder.write(Self.secret + "-file\n", to: "wiki.secret")
        let settings = try readSettings(
            """
            public_url: https://latch.example
            pages: {enabled: true}
            oauth:
              enabled: true
              access_token_lifetime: 2m
              clients:
                notes: {name: My notes, redirects: ["com.example.notes:/back", "http://127.0.0.1/back"]}
                wiki: {redirects: "https://wiki.example/back", secret_file: wiki.secret}
            """,
            [
                "LATCHD_OAUTH_CLIENTS_A_B_REDIRECTS": "https://a.example/1,https://a.example/2",
                "LATCHD_OAUTH_CLIENTS_A_B_SECRET": Self.secret,
            ], folder: folder.path
        ).authorizationServer

        #expect(settings.isEnabled && settings.accessTokenLifetime == .seconds(120))
        #expect(
            settings.clients == [
                RegisteredClient(
                    id: "notes", name: "My notes", secretHash: nil,
                    redirects: ["com.example.notes:/back", "http://127.0.0.1/back"]),
                RegisteredClient(
                    id: "wiki", name: "wiki", secretHash: SHA256.digest(Self.secret + "-file"),
                    redirects: ["https://wiki.example/back"]),
                RegisteredClient(
                    id: "a-b", name: "a-b", secretHash: SHA256.digest(Self.secret),
                    redirects: ["https://a.example/1", "https://a.example/2"]),
            ])
    }

    private static let keys =
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#

    @Test("reads public keys of clients, and the settings of registration")
    func keys() throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.keys, to: "keys.json")
        let settings = try readSettings(
            """
            public_url: https://latch.example
            pages: {enabled: true}
            oauth:
              enabled: true
              registration: {enabled: true, maximum: 50, secret: \(Self.secret)}
              clients:
                file: {redirects: "https://a.example/", jwks_file: keys.json}
                inline: {redirects: "https://a.example/", jwks: '\(Self.keys)'}
            """, folder: folder.path
        ).authorizationServer
        #expect(settings.clients.map(\.keys) == [ClientKeys(Self.keys), ClientKeys(Self.keys)])
        #expect(settings.clients.allSatisfy { $0.keys != nil && $0.isConfidential })
        #expect(settings.registration.isEnabled && settings.registration.maximum == 50)
        #expect(settings.registration.secret == Secret(Self.secret))
    }

    @Test("reports mistakes in keys and in the settings of registration")
    func keyMistakes() throws {
        let reported = configurationErrors(
            """
            oauth:
              registration: {enabled: true, secret: short}
              clients:
                none: {redirects: "https://a.example/", jwks: "{}"}
                both: {redirects: "https://a.example/", jwks: '\(Self.keys)', secret: \(Self.secret)}
                gone: {redirects: "https://a.example/", jwks_file: /nonexistent}
            """)
        for text in [
            "oauth.registration.enabled is true, but oauth.enabled is false",
            "oauth.registration.secret is shorter than 32",
            "oauth.clients.none.jwks: '{}' is not valid; it must be a JSON Web Key Set with 1 to 8 public keys",
            "oauth.clients.both has a secret and keys; remove one of them",
            "oauth.clients.gone.jwks_file: '/nonexistent'",
        ] {
            #expect(reported.contains { $0.contains(text) }, "\(text): \(reported)")
        }
        #expect(reported.count == 5)
    }

    @Test("reports mistakes in clients with line and remedy, without secrets")
    func mistakes() throws {
        let reported = configurationErrors(
            """
            oauth:
              access_token_lifetime: 2h
              clients:
                none:
                  name: Notes
                short:
                  redirects: a:/b
                  secret: hunter2-hunter2
                twice:
                  redirects: a:/b
                  secret: \(Self.secret)
                  secret_file: /nonexistent
                plain:
                  redirects: [http://notes.example/]
                odd:
                  redirects: a:/b
                  nam: x
            """)
        for text in [
            "line 2: oauth.access_token_lifetime: '2h' is not valid; it must be a time from 1m to 1h",
            "line 5: oauth.clients.none has no redirects; add the addresses",
            "line 8: oauth.clients.short.secret is shorter than 32 bytes; generate one with: openssl rand -hex 32",
            "line 12: oauth.clients.twice.secret_file: '/nonexistent' is not valid",
            "line 14: oauth.clients.plain.redirects: 'http://notes.example/' is not valid",
            "line 17: unknown key 'oauth.clients.odd.nam'; did you mean 'oauth.clients.odd.name'?",
        ] {
            #expect(reported.contains { $0.contains(text) }, "\(text): \(reported)")
        }
        #expect(reported.count == 6)
        #expect(!reported.joined().leaks("hunter2-hunter2") && !reported.joined().leaks(Self.secret))
    }

    @Test("a client cannot have an id that this server uses in tokens or for latch, while that is served")
    func reservedIDs() throws {
        func reported(_ id: String, _ more: String) -> [String] {
            let file = "oauth:\n  device_dialects: \(id == "latch")\n  clients: {\(id): {redirects: 'a:/b'}}\n"
            return configurationErrors(file + more + "listen: nowhere")
        }
        let timeTracker = "dialects: {timetracker: {enabled: true}}\n"
        for (id, more) in [("timetracker", timeTracker), ("latch", "")] {
            let found = reported(id, more).first { $0.contains("oauth.clients.\(id) has an id that this server uses") }
            #expect(found != nil, "\(id)")
        }
        #expect(!reported("timetracker", "").contains { $0.contains("has an id") })
        #expect(!reported("notes", timeTracker).contains { $0.contains("has an id") })
    }

    @Test("warns of other tokens that a server could take for those of Time Tracker")
    func tokenWarnings() throws {
        func warnings(_ timeTracker: String, clients: String) throws -> [String] {
            try readSettings(
                """
                public_url: https://latch.example
                pages: {enabled: true}
                oauth: {enabled: true, clients: {\(clients)}}
                providers: {google: {issuer: 'https://id.example', client_id: latch, client_secret: x}}
                dialects: {timetracker: {enabled: true\(timeTracker)}}
                """
            ).warnings.filter { $0.contains("timetracker") }
        }
        let (plain, signed) = ("wiki: {redirects: 'a:/b'}", "wiki: {redirects: 'a:/b', access_tokens: jwt}")
        #expect(try warnings("", clients: plain).isEmpty)
        #expect(try warnings("", clients: signed).map { $0.contains("compare aud") } == [true])
        #expect(try warnings(", prefix: /tt", clients: signed).isEmpty)
        #expect(try warnings(", audience: wiki", clients: plain).map { $0.contains("'wiki'") } == [true])
        let own = ", audience: 'https://latch.example/oauth2/userinfo'"
        #expect(try warnings(own, clients: plain).map { $0.contains("Choose another audience") } == [true])
    }

    @Test(
        "needs the pages, and an address with https unless it is this machine's",
        arguments: [
            ("pages: {enabled: true}", "public_url is not set to an https address; set public_url"),
            ("pages: {enabled: true}\npublic_url: http://latch.example", "public_url is not set to an https address"),
            (
                "pages: {enabled: true}\npublic_url: http://127.0.0.1.example",
                "public_url is not set to an https address"
            ),
            ("public_url: https://latch.example", "pages.enabled is false; set pages.enabled to true"),
        ])
    func needs(_ rest: String, _ message: String) {
        let reported = configurationErrors("oauth: {enabled: true}\n" + rest)
        let expected = "line 1: oauth.enabled is true, but \(message)"
        #expect(reported.count == 1 && reported[0].contains(expected), "\(reported)")
    }

    @Test(
        "may be tried on this machine", arguments: ["http://127.0.0.1:2283", "http://[::1]:2283", "http://localhost"])
    func loopback(_ address: String) throws {
        let file = "oauth: {enabled: true}\npages: {enabled: true}\npublic_url: '\(address)'"
        #expect(try readSettings(file).authorizationServer.isEnabled)
    }
}
