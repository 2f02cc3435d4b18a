import HTTPMessages
import TestSupport
import Testing

@testable import LatchGateway

/// The module of `oidcc-config-certification-test-plan`.
enum ConfigurationPlan {
    static let cases = [
        ConformanceCase(.configuration, "oidcc-discovery-endpoint-verification") { (run) async throws in
            let metadata = try await run.metadata()
            #expect(metadata["issuer"] == .string(OAuthFixture.issuer))
            for name in [
                "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint",
            ] {
                let address = try (metadata[name]?.string).orThrow
                #expect(address.hasPrefix(OAuthFixture.issuer + "/"), "\(name)")
            }
            #expect(metadata["response_types_supported"] == ["code"])
            #expect(metadata["subject_types_supported"] == ["public"])
            #expect(metadata["id_token_signing_alg_values_supported"]?.array?.isEmpty == false)
            #expect(metadata["scopes_supported"]?.array?.contains("openid") == true)
            #expect(metadata["claims_supported"]?.array?.contains("sub") == true)
            #expect(metadata["claims_parameter_supported"]?.bool != true)
            #expect(metadata["request_parameter_supported"]?.bool != true)
            // OpenID Connect Discovery: the default of this member is true.
            #expect(metadata["request_uri_parameter_supported"]?.bool == false)
            let keys = try await run.fixture.gateway.http.send("GET", "/oauth2/jwks").json?["keys"]?.array ?? []
            #expect(!keys.isEmpty && keys.allSatisfy { $0["d"] == nil && $0["kid"]?.string != nil })
        }
    ]
}
