import Crypto
import HTTPMessages
import OpenIDConnect
import ServerMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway

/// What an app learns of a server before anybody signs in.
@Suite(.timeLimit(.minutes(20))) struct RelateMailDiscoveryTests {
    @Test("RM-4 discovery contains the versions, the features and that people sign in through a provider")
    func discovery() async throws {
        try await RelateMailFixture.with { fixture in
            let response = try await fixture.send("GET", "/api/discovery", nil)

            let message = try JSON.decode(RelateMailDiscovery.self, from: response.body)
            #expect(response.status == 200 && response.headers["Content-Type"] == "application/json")
            #expect(message.version == "1.0.0" && message.apiVersion == "v1" && message.oidcEnabled)
            #expect(
                message.features == ["smtp", "pop3", "imap", "api-keys", "labels", "filters", "preferences", "oidc"])
            #expect(
                response.json?.members?.map(\.name).sorted() == ["apiVersion", "features", "oidcEnabled", "version"])
        }
    }

    @Test("RM-4 the configuration contains authority, public client, redirect and scope, cacheable for five minutes")
    func configuration() async throws {
        try await RelateMailFixture.with({ $0.relateMail.redirect = "https://mail.example/callback" }) { fixture in
            let response = try await fixture.send("GET", "/config/config.json", nil)

            #expect(response.status == 200 && response.headers["Cache-Control"] == "public,max-age=300")
            #expect(
                try JSON.decode(RelateMailConfiguration.self, from: response.body)
                    == RelateMailConfiguration(
                        oidcAuthority: fixture.issuer.issuer, oidcClientId: TokenIssuer.clientID,
                        oidcRedirectUri: "https://mail.example/callback", oidcScope: "openid profile email"))
        }
    }

    @Test("RM-4 without a provider the response says so, and every member of the configuration is a string")
    func withoutProvider() async throws {
        let change = { @Sendable (settings: inout GatewaySettings) in
            settings.providers = []
            settings.relateMail.features = ["imap", "api-keys"]
        }
        try await RelateMailFixture.with(change) { fixture in
            let message = try JSON.decode(
                RelateMailDiscovery.self, from: await fixture.send("GET", "/api/discovery", nil).body)
            #expect(!message.oidcEnabled && message.features == ["imap", "api-keys"])

            let configuration = try await fixture.send("GET", "/config/config.json", nil).json
            #expect(configuration?["oidcAuthority"] == "" && configuration?["oidcClientId"] == "")
            #expect(configuration?["oidcRedirectUri"] == "" && configuration?["oidcScope"] == "openid profile email")
        }
    }

    @Test("RM-4 a client with a secret is never sent to apps")
    func confidentialClient() async throws {
        try await RelateMailFixture.with({ $0.relateMail.clientID = nil }) { fixture in
            do {
                let response = try await fixture.send("GET", "/config/config.json", nil).json?["oidcClientId"]
                #expect(response == "gateway")
            }
        }
        let secret: @Sendable (inout ProviderConfiguration) -> Void = { provider in
            provider.settings.authentication = .basic(Secret("a secret of the gateway"))
        }
        try await RelateMailFixture.with({ $0.relateMail.clientID = nil }, provider: secret) { fixture in
            do {
                let response = try await fixture.send("GET", "/api/discovery", nil).json?["oidcEnabled"]
                #expect(response == false)
            }
            do {
                let response = try await fixture.send("GET", "/config/config.json", nil).json?["oidcClientId"]
                #expect(response == "")
            }
            do {
                let response = try await fixture.profile(fixture.bearer()).status
                #expect(response == 401)
            }
        }
    }

    @Test("RM-4 all routes are below the prefix, and an unknown path gets the family's error format")
    func prefix() async throws {
        try await RelateMailFixture.with({ $0.relateMail.prefix = "/mail" }) { fixture in
            #expect(try await fixture.send("GET", "/mail/api/discovery", nil).status == 200)
            #expect(try await fixture.send("GET", "/mail/config/config.json", nil).status == 200)

            let missing = try await fixture.send("GET", "/mail/api/profile/more", nil)
            #expect(missing.status == 404 && missing.headers["Content-Type"] == "application/problem+json")
            #expect(missing.json?["title"] == "Not Found" && missing.json?["status"] == 404)
            #expect(missing.json?["traceId"]?.string == missing.headers["X-Request-Id"])
            #expect(try await fixture.send("GET", "/api/discovery", nil).status == 404)
            let wrong = try await fixture.send("PATCH", "/mail/api/profile", nil)
            #expect(wrong.status == 405 && wrong.headers["Allow"]?.contains("PUT") == true && wrong.body.isEmpty)
        }
    }
}
