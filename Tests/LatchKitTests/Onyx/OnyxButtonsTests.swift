import HTTPClient
import HTTPMessages
import Testing

@testable import LatchKit

/// Which ways to sign in a server offers, in every form that `/auth/type` has had, and what its refusals say.
@Suite struct OnyxButtonsTests {
    private func features(_ body: String) -> ServerFeatures? {
        let response = ClientResponse(
            status: .ok, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        guard case .server(let features) = OnyxDialect().match(response) else { return nil }
        return features
    }

    static let forms: [(body: String, password: Bool, browser: Bool)] = [
        (#"{"auth_type":"basic"}"#, true, false), (#"{"auth_type":"google_oauth"}"#, false, true),
        (#"{"auth_type":"cloud"}"#, true, true), (#"{"auth_type":"oidc"}"#, false, false),
        (#"{"auth_type":"saml"}"#, false, false), (#"{"auth_type":"disabled"}"#, true, false),
        (#"{"auth_type":"GOOGLE_OAUTH"}"#, false, true),
        (#"{"auth_type":"basic","oauth_enabled":true}"#, true, true), (#"{"multi_tenant":true}"#, true, false),
        (#"{"multi_tenant":false,"oauth_enabled":true,"password_auth_enabled":false}"#, false, true),
        (#"{"multi_tenant":false,"oauth_enabled":false,"password_auth_enabled":true}"#, true, false),
        (#"{"multi_tenant":false,"password_auth_enabled":false,"sso_providers":[]}"#, false, false),
        (
            #"{"multi_tenant":false,"oauth_enabled":false,"sso_providers":[{"name":"k","display_name":"K","provider_type":"oidc","authorize_url":"/x"}]}"#,
            true, true
        ),
    ]

    @Test("OX-7 OX-8 the buttons are those of the server, in the old format and the new", arguments: forms)
    func buttons(_ body: String, _ password: Bool, _ browser: Bool) throws {
        let features = try #require(self.features(body))
        #expect(features.signsInWithPassword == password && features.signsInWithBrowser == browser)
    }

    @Test(
        "OX-7 each provider in the server's list is a button, also with an unknown kind",
        arguments: [[], ["google"], ["oidc", "saml"], ["saml", "apple", "google", "oidc", "of-tomorrow"]])
    func providers(_ kinds: [String]) throws {
        let rows = kinds.map {
            #"{"name":"\#($0)-1","display_name":"With \#($0)","provider_type":"\#($0)","authorize_url":"/x"}"#
        }
        for password in [true, false] {
            let list = rows.joined(separator: ",")
            let features = try #require(
                self.features(
                    #"{"multi_tenant":false,"password_auth_enabled":\#(password),"sso_providers":[\#(list)]}"#))
            #expect(features.providers.map(\.id) == kinds.map { $0 + "-1" })
            #expect(features.providers.map(\.title) == kinds.map { "With " + $0 })
            #expect(features.signsInWithPassword == password && features.signsInWithBrowser == !kinds.isEmpty)
        }
    }

    @Test("OX-8 a server that requires verified addresses, and one without people, are recognised")
    func serverProperties() {
        #expect(features(#"{"multi_tenant":false,"requires_verification":true}"#)?.requiresVerification == true)
        #expect(features(#"{"multi_tenant":false,"has_users":false}"#)?.hasUsers == false)
        #expect(features(#"{"something":1}"#) == nil)
    }

    static let refusals: [(body: String, words: String?)] = [
        (#"{"error_code":"SESSION_EXPIRED","detail":"x"}"#, "the session expired"),
        (#"{"error_code":"SESSION_TERMINATED","detail":"x"}"#, "the session was ended"),
        (#"{"error_code":"SESSION_UNRECOGNIZED","detail":"x"}"#, "the session is not known"),
        (#"{"detail":"PASSWORD_LOGIN_DISABLED"}"#, "sign-in with a password is disabled"),
        (
            #"{"detail":"NO_WEB_LOGIN_AND_HAS_NO_PASSWORD"}"#,
            "this account has no password; use the sign-in method with which it was created"
        ),
        (
            #"{"error_code":"REGISTRATION_DISABLED","detail":"x"}"#,
            "registration is closed; ask its operator for an account"
        ),
        (#"{"error_code":"UNAUTHORIZED","detail":"x"}"#, "an invitation is required; ask its operator"),
        (#"{"detail":"Forbidden"}"#, "you lack the permission, or must verify your e-mail address first (Forbidden)"),
        (
            #"{"detail":"Access denied. User's OIDC token has expired."}"#,
            "Access denied. User's OIDC token has expired."
        ),
        (#"{"error_code":"NEW_CODE","detail":"in words"}"#, "in words"), (#"{"detail":"NEW_CODE"}"#, "NEW_CODE"),
        (#"{"detail":[{"msg":"one"},{"msg":"two"}]}"#, "one; two"), (#"{"message":"plain"}"#, "plain"),
        (#"{"status_code":422,"message":"checked","data":null}"#, "checked"), ("[]", nil), ("<html>", nil),
    ]

    @Test("OX-8 every error format and every reason of a 403 is reported in plain words", arguments: refusals)
    func errorMessages(_ body: String, _ words: String?) {
        let response = ClientResponse(status: .forbidden, body: Array(body.utf8))
        #expect(OnyxDialect().errorMessage(in: response) == words)
    }

    @Test("OX-1 a sign-in with an unverified e-mail address fails with the remedy")
    func unverified() {
        let response = ClientResponse(
            status: .badRequest, headers: ["Content-Type": "application/json"],
            body: Array(#"{"detail":"LOGIN_USER_NOT_VERIFIED"}"#.utf8))
        let error = #expect(throws: LatchError.self) {
            try OnyxDialect().grant(from: response, of: ServerAddress("https://onyx.example.org"))
        }
        #expect(error?.code == .emailUnverified && error?.message.contains("Follow the link") == true)
    }
}
