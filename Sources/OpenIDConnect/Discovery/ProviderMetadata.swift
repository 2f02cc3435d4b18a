import HTTPMessages

/// The validated metadata of a provider.
///
/// Source: OpenID Connect Discovery §3; RFC 9207 §3.
package struct ProviderMetadata: Sendable, Equatable {
    /// The issuer identifier of the provider, equal to the requested one.
    package let issuer: String
    /// The endpoint to which the person's browser is sent.
    package let authorizationEndpoint: String
    /// The endpoint that exchanges a code for tokens.
    package let tokenEndpoint: String
    /// The URL of the provider's keys.
    package let keysAddress: String
    /// The endpoint with further claims about a person. Nil when the provider has none.
    package let userInfoEndpoint: String?
    /// The endpoint where a browser signs out. Nil when the provider has none or its URL is invalid.
    package let endSessionEndpoint: String?
    /// The names of the algorithms that sign ID tokens. Empty when the provider does not say.
    package let signingAlgorithms: [String]
    /// Whether every authorization response contains the issuer as `iss`.
    package let sendsIssuerInResponses: Bool

    /// Parses and validates a discovery document.
    ///
    /// Every URL must be `https`. If the issuer is `http` on this machine, URLs on this machine may be `http` too.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - issuer: The requested issuer. The document must contain the same text, character by character.
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/invalidResponse``.
    ///
    /// Source: OpenID Connect Discovery §4.3.
    package init(parsing document: [UInt8], issuer: String) throws(OpenIDConnectError) {
        let reader = Reader(value: try? JSONValue(parsing: document, repairsText: false), issuer: issuer)
        try reader.checkIssuer()
        self.issuer = issuer
        authorizationEndpoint = try reader.endpoint("authorization_endpoint")
        tokenEndpoint = try reader.endpoint("token_endpoint")
        keysAddress = try reader.endpoint("jwks_uri")
        userInfoEndpoint = try reader.optionalEndpoint("userinfo_endpoint")
        // This endpoint is optional, so an invalid one is ignored.
        endSessionEndpoint = (try? reader.optionalEndpoint("end_session_endpoint")) ?? nil
        signingAlgorithms = try reader.texts("id_token_signing_alg_values_supported") ?? []
        sendsIssuerInResponses = try reader.flag("authorization_response_iss_parameter_supported")
        guard try reader.texts("response_types_supported")?.contains("code") != false else {
            throw reader.bad("it does not support the authorization code flow; use another provider.")
        }
    }

    private struct Reader {
        let value: JSONValue?
        let issuer: String

        func bad(_ reason: String) -> OpenIDConnectError {
            OpenIDConnectError(.invalidResponse, "Could not use the discovery document of '\(issuer)': \(reason)")
        }

        func checkIssuer() throws(OpenIDConnectError) {
            guard let value, value.members != nil else {
                throw bad("it is not a JSON object; check that the address belongs to an OpenID provider.")
            }
            guard let stated = value["issuer"]?.string else { throw bad("it names no issuer; check the provider.") }
            guard stated == issuer else {
                let shown = WebAddress(stated) == nil ? "" : " '\(stated.prefix(200))'"
                throw bad("it names another issuer\(shown); write the issuer exactly as the provider does.")
            }
        }

        func endpoint(_ name: String) throws(OpenIDConnectError) -> String {
            guard let address = try optionalEndpoint(name) else {
                throw bad("it has no '\(name)'; check that the address belongs to an OpenID provider.")
            }
            return address
        }

        func optionalEndpoint(_ name: String) throws(OpenIDConnectError) -> String? {
            guard let member = value?[name], member != .null else { return nil }
            guard let text = member.string, let address = WebAddress(text) else {
                throw bad("its '\(name)' is not a web address; contact the provider's operator.")
            }
            let isPlainAllowed = WebAddress(issuer)?.isSecure == false && address.isLoopback
            guard address.isSecure || isPlainAllowed else {
                throw bad("its '\(name)' does not use https; contact the provider's operator.")
            }
            return text
        }

        func texts(_ name: String) throws(OpenIDConnectError) -> [String]? {
            guard let member = value?[name], member != .null else { return nil }
            guard let elements = member.array else { throw bad("its '\(name)' is not an array.") }
            return elements.compactMap(\.string)
        }

        func flag(_ name: String) throws(OpenIDConnectError) -> Bool {
            guard let member = value?[name], member != .null else { return false }
            guard let flag = member.bool else { throw bad("its '\(name)' is neither true nor false.") }
            return flag
        }
    }
}
