import HTTPMessages

extension ProviderCase {
    /// The cases of FAPI 2's client tests that require neither sender-constrained tokens nor refresh tokens from the
    /// provider.
    static let fapi: [ProviderCase] =
        answers + claims + [
            fapi("token-type-case-insensitivity", .signedIn) { $0.tokens = { $0["token_type"] = "bEARER" } },
            fapi("token-endpoint-response-without-expires_in", .signedIn) { $0.tokens = { $0["expires_in"] = nil } },
            fapi("discovery-issuer-mismatch", .refusedBeforehand) {
                $0.discovery = { $0["issuer"] = .string(($0["issuer"]?.string ?? "") + "/") }
            },
        ]

    private static let answers: [ProviderCase] = [
        fapi("happy-path", .signedIn),
        fapi("invalid-authorization-response-iss", .refusedAtCallback) { script in
            script.callback = { pairs in
                pairs = pairs.map { $0.name == "iss" ? (name: "iss", value: $0.value + "1") : $0 }
            }
        },
        fapi("remove-authorization-response-iss", .refusedAtCallback) { script in
            script.callback = { pairs in pairs.removeAll { $0.name == "iss" } }
        },
        fapi("ensure-authorization-response-with-invalid-state-fails", .refusedAtCallback, concernsState: true) {
            script in
            script.callback = { pairs in
                pairs = pairs.map { $0.name == "state" ? (name: "state", value: $0.value + "1") : $0 }
            }
        },
        fapi("ensure-authorization-response-with-invalid-missing-state-fails", .refusedAtCallback, concernsState: true)
        {
            script in
            script.callback = { pairs in pairs.removeAll { $0.name == "state" } }
        },
    ]

    private static let claims: [ProviderCase] = [
        fapi("invalid-iss", .refusedAtExchange) {
            $0.claims = { $0["iss"] = .string(($0["iss"]?.string ?? "") + "1") }
        },
        fapi("invalid-missing-iss", .refusedAtExchange) { $0.claims = { $0["iss"] = nil } },
        fapi("invalid-aud", .refusedAtExchange) { $0.claims = { $0["aud"] = ["another"] } },
        fapi("invalid-missing-aud", .refusedAtExchange) { $0.claims = { $0["aud"] = nil } },
        fapi("invalid-secondary-aud", .refusedAtExchange) {
            $0.claims = {
                $0["aud"] = [$0["aud"] ?? "", "another"]
                $0["azp"] = .string(ScriptedProvider.clientID)
            }
        },
        fapi("valid-aud-as-array", .signedIn) { $0.claims = { $0["aud"] = [$0["aud"] ?? ""] } },
        fapi("invalid-expired-exp", .refusedAtExchange) {
            $0.claims = { $0["exp"] = .number(($0["iat"]?.number ?? 0) - 300) }
        },
        fapi("invalid-missing-exp", .refusedAtExchange) { $0.claims = { $0["exp"] = nil } },
        fapi("invalid-nonce", .refusedAtExchange) {
            $0.claims = { $0["nonce"] = .string(($0["nonce"]?.string ?? "") + "1") }
        },
        fapi("invalid-missing-nonce", .refusedAtExchange) { $0.claims = { $0["nonce"] = nil } },
        fapi("invalid-null-alg", .refusedAtExchange) {
            $0.signing = .none
            $0.discovery = { $0["id_token_signing_alg_values_supported"] = ["RS256", "none"] }
        },
        fapi("invalid-alternate-alg", .refusedAtExchange) { $0.signing = .alternate },
    ]

    private static func fapi(
        _ name: String, _ outcome: Outcome, concernsState: Bool = false,
        _ change: (inout ProviderScript) -> Void = { _ in }
    ) -> ProviderCase {
        ProviderCase(
            "fapi2-security-profile-final-client-test-" + name, outcome, concernsState: concernsState, change)
    }
}
