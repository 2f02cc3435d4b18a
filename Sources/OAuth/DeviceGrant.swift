package import Crypto
import HTTPMessages

/// The names of the device authorization grant that the client and the server share.
///
/// Source: RFC 8628.
package enum DeviceGrant {
    /// The grant type.
    ///
    /// Source: RFC 8628 §3.4.
    package static let type = "urn:ietf:params:oauth:grant-type:device_code"
    /// The member of a gateway's metadata with the ids of the server families that devices can sign in to with the client
    /// ``client``.
    package static let dialectsMember = "device_dialects_supported"
    /// The parameter of the device authorization request that names one of these families.
    package static let dialectParameter = "dialect"
    /// The member of the token response with the id of the API key, when the token is one.
    package static let keyMember = "key_id"
    /// The client id with which devices sign in to the families that a gateway serves.
    package static let client = "latch"
}

/// The response of a device authorization endpoint.
///
/// Source: RFC 8628 §3.2.
package struct DeviceAuthorizationResponse: Sendable {
    /// The code of the device, which is secret.
    package let deviceCode: Secret
    /// The code that the person enters.
    package let userCode: String
    /// The address that the person opens.
    package let verification: String
    /// The same address with the code in it. Nil when the server has none.
    package let completeVerification: String?
    /// How long the codes are valid.
    package let expiresIn: Duration
    /// How long to wait between two requests for tokens. 5 seconds when the server does not say.
    package let interval: Duration

    // A day and 10 minutes: a server that names more is mistaken.
    private static let maximumLifetime = 86_400.0
    private static let maximumInterval = 600.0

    /// Parses the body of a response.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/malformed`` when the body is not a JSON object, or a member is
    ///   missing or has the wrong type.
    package init(parsing body: [UInt8]) throws(OAuthError) {
        let value = try TokenEndpointResponse.object(body)
        guard let code = try TokenEndpointResponse.text(value, "device_code"), !code.isEmpty,
            let userCode = try TokenEndpointResponse.text(value, "user_code"), !userCode.isEmpty,
            let verification = try TokenEndpointResponse.text(value, "verification_uri"), !verification.isEmpty,
            let expiresIn = value["expires_in"]?.number, expiresIn > 0
        else {
            throw OAuthError(
                .malformed,
                "The device authorization response lacks device_code, user_code, verification_uri or expires_in; check "
                    + "the server.")
        }
        let interval = value["interval"].flatMap { $0 == .null ? nil : $0 }
        guard interval == nil || interval?.number.map({ $0 >= 0 }) == true else {
            throw OAuthError(
                .malformed, "The device authorization response's 'interval' is not a number; check the server.")
        }
        deviceCode = Secret(code)
        self.userCode = userCode
        self.verification = verification
        completeVerification = try TokenEndpointResponse.text(value, "verification_uri_complete")
        self.expiresIn = .seconds(min(expiresIn, Self.maximumLifetime))
        self.interval = .seconds(max(1, min(interval?.number ?? 5, Self.maximumInterval)))
    }
}
