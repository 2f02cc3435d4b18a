import HTTPClient
import HTTPMessages
import JOSE
import LatchSandbox
import TestSupport
import Testing

/// What the provider says of itself.
@Suite(.timeLimit(.minutes(20))) struct DiscoveryTests {
    @Test("OX-7 discovery contains this issuer, and all its endpoints exist")
    func discovery() async throws {
        try await RelyingApp.with { app in
            let response = try await app.open(app.provider.issuer + "/.well-known/openid-configuration")
            let metadata = try JSONValue(parsing: response.body)

            #expect(response.status == .ok)
            #expect(metadata["issuer"]?.string == app.provider.issuer)
            #expect(app.provider.issuer.hasPrefix("http://127.0.0.1:"))
            #expect(metadata["authorization_response_iss_parameter_supported"]?.bool == true)
            #expect(metadata["code_challenge_methods_supported"] == ["S256"])
            for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
                let endpoint = try #require(metadata[name]?.string)
                #expect(endpoint.hasPrefix(app.provider.issuer + "/"))
                #expect(try await app.open(endpoint).status.rawValue != 404)
            }
        }
    }

    @Test("The key set has a key for each algorithm, with unique ids and no private parts")
    func keys() async throws {
        try await RelyingApp.with(algorithms: [.rs256, .ps256, .es256, .edDSA]) { app in
            let keys = try await app.keySet().keys
            let text = try await app.open(app.provider.issuer + "/jwks").text

            #expect(Set(keys.compactMap(\.algorithm)).count == 4)
            #expect(Set(keys.compactMap(\.keyID)).count == 4)
            for member in ["\"d\":", "\"p\":", "\"q\":"] { #expect(!text.contains(member)) }
        }
    }

    @Test(
        "An address that is not loopback is refused",
        arguments: ["0.0.0.0", "::", "192.0.2.1", "localhost.example", ""])
    func loopbackOnly(_ host: String) async throws {
        var configuration = DevelopmentProvider.Configuration(people: [])
        configuration.algorithms = [.es256]
        configuration.host = host

        let error = await #expect(throws: SandboxError.self) {
            _ = try await DevelopmentProvider.start(configuration)
        }

        #expect(error?.code == .notLoopback)
        #expect(error?.message.contains("use 127.0.0.1 or ::1") == true)
    }

    @Test("IPv6 loopback is accepted")
    func version6() async throws {
        try await RelyingApp.with(configure: { $0.host = "::1" }) { app in
            let keys = try await app.open(app.provider.issuer + "/jwks")
            #expect(app.provider.issuer.hasPrefix("http://[::1]:") && keys.status == .ok)
        }
    }
}
