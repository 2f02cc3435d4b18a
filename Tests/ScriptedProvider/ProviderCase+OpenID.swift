import HTTPMessages

/// The issuer of a different provider.
private let other: JSONValue = "https://other.example.org"

extension ProviderCase {
    /// The cases of the plan `oidcc-client-basic-certification-test-plan`.
    static let basic: [ProviderCase] = [
        ProviderCase("oidcc-client-test", .signedIn),
        ProviderCase("oidcc-client-test-invalid-iss", .refusedAtExchange) { $0.claims = { $0["iss"] = other } },
        ProviderCase("oidcc-client-test-missing-sub", .refusedAtExchange) { $0.claims = { $0["sub"] = nil } },
        ProviderCase("oidcc-client-test-invalid-aud", .refusedAtExchange) { $0.claims = { $0["aud"] = "another" } },
        ProviderCase("oidcc-client-test-missing-iat", .refusedAtExchange) { $0.claims = { $0["iat"] = nil } },
        ProviderCase("oidcc-client-test-kid-absent-single-jwks", .signedIn) {
            $0.header = { $0["kid"] = nil }
            $0.publishedKey = { $0["kid"] = nil }
        },
        ProviderCase("oidcc-client-test-kid-absent-multiple-jwks", .signedIn) {
            $0.header = { $0["kid"] = nil }
            $0.publishesSecondKey = true
        },
        ProviderCase("oidcc-client-test-idtoken-sig-rs256", .signedIn),
        ProviderCase("oidcc-client-test-idtoken-sig-none", .refusedAtExchange) { $0.signing = .none },
        ProviderCase("oidcc-client-test-invalid-sig-rs256", .refusedAtExchange) { $0.signing = .broken },
        ProviderCase("oidcc-client-test-userinfo-invalid-sub", .refusedAtUserInfo) {
            $0.userInfo = { $0["sub"] = "another" }
        },
        ProviderCase("oidcc-client-test-nonce-invalid", .refusedAtExchange) { $0.claims = { $0["nonce"] = "another" } },
        ProviderCase("oidcc-client-test-scope-userinfo-claims", .signedIn),
        ProviderCase("oidcc-client-test-client-secret-basic", .signedIn),
    ]

    /// The cases of the plan `oidcc-client-config-certification-test-plan`, and the applicable ones of the dynamic
    /// plan.
    static let configuration: [ProviderCase] = [
        ProviderCase("oidcc-client-test-discovery-openid-config", .signedIn),
        ProviderCase("oidcc-client-test-discovery-jwks-uri-keys", .signedIn),
        ProviderCase("oidcc-client-test-discovery-issuer-mismatch", .refusedBeforehand) {
            $0.discovery = { $0["issuer"] = other }
        },
        ProviderCase("oidcc-client-test-signing-key-rotation-just-before-signing", .signedIn) {
            $0.rotation = .justBeforeSigning
        },
        ProviderCase("oidcc-client-test-signing-key-rotation", .signedIn) { $0.rotation = .betweenSignIns },
        ProviderCase("oidcc-client-test-userinfo-signed", .signedIn) { $0.userInfoSigning = .right },
    ]

    /// The additional cases of the comprehensive plan for the code flow.
    static let comprehensive: [ProviderCase] = [
        ProviderCase("oidcc-client-test-missing-aud", .refusedAtExchange) { $0.claims = { $0["aud"] = nil } },
        ProviderCase("oidcc-client-test-userinfo-bearer-header", .signedIn),
        ProviderCase("oidcc-client-test-nonce-unless-code-flow", .signedIn),
        ProviderCase("oidcc-client-test-missing-chash", .signedIn) { $0.claims = { $0["c_hash"] = nil } },
        ProviderCase("oidcc-client-test-invalid-chash", .refusedAtExchange) {
            $0.claims = { $0["c_hash"] = "LDktKdoQak3Pk0cnXxCltA" }
        },
        ProviderCase("oidcc-client-test-missing-athash", .signedIn) { $0.claims = { $0["at_hash"] = nil } },
        ProviderCase("oidcc-client-test-invalid-athash", .refusedAtExchange) {
            $0.claims = { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" }
        },
        ProviderCase("oidcc-client-test-form-post-error", .refusedAtCallback) { script in
            script.callback = { pairs in
                pairs.removeAll { $0.name == "code" }
                pairs.append((name: "error", value: "login_required"))
                pairs.append((name: "error_description", value: "Nobody is signed in here"))
            }
        },
        ProviderCase("oidcc-client-test-invalid-sig-hs256", .refusedAtExchange) { $0.signing = .sharedSecret },
        ProviderCase("oidcc-client-test-invalid-sig-es256", .refusedAtExchange) {
            $0.signing = .otherElliptic
            $0.discovery = { $0["id_token_signing_alg_values_supported"] = ["RS256", "ES256"] }
        },
        ProviderCase("oidcc-client-test-aggregated-claims", .signedIn) {
            $0.userInfo = {
                $0["_claim_names"] = ["address": "src1"]
                $0["_claim_sources"] = ["src1": ["JWT": "eyJhbGciOiJub25lIn0.eyJhZGRyZXNzIjoiLyJ9."]]
            }
        },
        ProviderCase("oidcc-client-test-distributed-claims", .signedIn) {
            $0.userInfo = {
                $0["_claim_names"] = ["shoe_size": "src1"]
                $0["_claim_sources"] = ["src1": ["endpoint": "/distributed", "access_token": "x"]]
            }
        },
        ProviderCase("oidcc-client-test-mtls-endpoint-aliases", .signedIn) {
            $0.discovery = {
                $0["mtls_endpoint_aliases"] = [
                    "token_endpoint": .string(($0["issuer"]?.string ?? "") + "/elsewhere")
                ]
            }
        },
    ]
}
