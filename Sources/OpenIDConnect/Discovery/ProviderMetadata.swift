import Wire

/// What a provider says of itself, checked.
///
/// Source: OpenID Connect Discovery §3; RFC 9207 §3.
public struct ProviderMetadata: Sendable, Equatable {
    /// The provider's name for itself, the one that was asked for.
    public let issuer: String
    /// Where the person's browser is sent.
    public let authorizationEndpoint: String
    /// Where a code is exchanged.
    public let tokenEndpoint: String
    /// Where the provider's keys are.
    public let keysAddress: String
    /// Where more is told about a person.
    public let userInfoEndpoint: String?
    /// Where a browser signs out.
    public let endSessionEndpoint: String?
    /// The names of the algorithms that ID tokens are signed by; empty when it does not say.
    public let signingAlgorithms: [String]
    /// Whether every answer to the browser names the issuer.
    public let namesIssuerInAnswers: Bool

    /// Reads and checks a discovery document.
    ///
    /// Every address must be `https`; when the issuer is plain `http` on this machine itself, so may they be.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - issuer: The issuer that was asked for; the document must say the same, character by character.
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/badAnswer``.
    ///
    /// Source: OpenID Connect Discovery §4.3.
    public init(parsing document: [UInt8], issuer: String) throws(OpenIDConnectError) {
        let reader = Reader(value: try? JSONValue(parsing: document), issuer: issuer)
        try reader.checkIssuer()
        self.issuer = issuer
        authorizationEndpoint = try reader.endpoint("authorization_endpoint")
        tokenEndpoint = try reader.endpoint("token_endpoint")
        keysAddress = try reader.endpoint("jwks_uri")
        userInfoEndpoint = try reader.optionalEndpoint("userinfo_endpoint")
        // Nothing stands on it, so one that cannot be used is none.
        endSessionEndpoint = (try? reader.optionalEndpoint("end_session_endpoint")) ?? nil
        signingAlgorithms = try reader.texts("id_token_signing_alg_values_supported") ?? []
        namesIssuerInAnswers = try reader.flag("authorization_response_iss_parameter_supported")
        guard try reader.texts("response_types_supported")?.contains("code") != false else {
            throw reader.bad("it does not speak the authorization code flow; use another provider.")
        }
    }

    private struct Reader {
        let value: JSONValue?
        let issuer: String

        func bad(_ reason: String) -> OpenIDConnectError {
            OpenIDConnectError(.badAnswer, "Could not use the discovery document of '\(issuer)': \(reason)")
        }

        func checkIssuer() throws(OpenIDConnectError) {
            guard let value, value.members != nil else {
                throw bad("it is no JSON object; check that the address is an OpenID provider's.")
            }
            guard let stated = value["issuer"]?.string else { throw bad("it names no issuer; check the provider.") }
            guard stated == issuer else {
                let shown = WebAddress(stated) == nil ? "" : " '\(stated.prefix(200))'"
                throw bad("it names another issuer\(shown); write the issuer exactly as the provider does.")
            }
        }

        func endpoint(_ name: String) throws(OpenIDConnectError) -> String {
            guard let address = try optionalEndpoint(name) else {
                throw bad("it has no '\(name)'; check that the address is an OpenID provider's.")
            }
            return address
        }

        func optionalEndpoint(_ name: String) throws(OpenIDConnectError) -> String? {
            guard let member = value?[name], member != .null else { return nil }
            guard let text = member.string, let address = WebAddress(text) else {
                throw bad("its '\(name)' is no web address; tell the provider's operator.")
            }
            let isPlainAllowed = WebAddress(issuer)?.isSecure == false && address.isLoopback
            guard address.isSecure || isPlainAllowed else {
                throw bad("its '\(name)' is not https; tell the provider's operator.")
            }
            return text
        }

        func texts(_ name: String) throws(OpenIDConnectError) -> [String]? {
            guard let member = value?[name], member != .null else { return nil }
            guard let elements = member.array else { throw bad("its '\(name)' is no array.") }
            return elements.compactMap(\.string)
        }

        func flag(_ name: String) throws(OpenIDConnectError) -> Bool {
            guard let member = value?[name], member != .null else { return false }
            guard let flag = member.bool else { throw bad("its '\(name)' is neither true nor false.") }
            return flag
        }
    }
}
