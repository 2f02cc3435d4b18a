package import GatewayCore
package import OpenIDConnect
import Primitives

/// The reason why a sign-in through an identity provider failed.
package struct BridgeFailure: Error, Sendable {
    /// The OAuth error code for the app.
    ///
    /// Source: RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6.
    package let error: String
    /// A sentence for the person. Contains no text from outside the gateway.
    package let sentence: String
    /// The reason for the audit log. Nil for outages and internal errors, which the audit log does not record.
    package let reason: StaticString?
    /// The outcome for the metrics.
    package let outcome: Metrics.BridgeOutcome
    /// The subject at the provider, which an administrator can link. Nil when it is not known, or when linking would
    /// not help.
    package private(set) var subject: String?
    /// The e-mail address, or else the name, of the account at the provider, for the page: at most 100 visible
    /// characters. Nil when it is not known, or when another account would not help.
    package private(set) var account: String?

    /// The person refused to sign in.
    package static let denied = denied("access_denied")

    /// The person refused to sign in, with the provider's error code.
    private static func denied(_ word: String) -> BridgeFailure {
        BridgeFailure(
            error: word, sentence: "You declined at the identity provider, so you are not signed in.",
            reason: "denied-at-provider", outcome: .denied)
    }

    /// The provider returned an error. Codes that an app can act on are passed to it.
    ///
    /// Source: OpenID Connect Core §3.1.2.6, where `consent_required` is the person's missing consent.
    package static func refused(_ word: String?) -> BridgeFailure {
        if word == "consent_required" { return denied("consent_required") }
        let known = ["login_required", "interaction_required", "account_selection_required"]
        guard let word, known.contains(word) else { return failed }
        return BridgeFailure(
            error: word, sentence: "The identity provider did not sign you in.", reason: "refused-by-provider",
            outcome: .denied)
    }

    /// The provider does not respond.
    package static let unavailable = BridgeFailure(
        error: "temporarily_unavailable", sentence: "The identity provider does not respond; try again in a minute.",
        reason: nil, outcome: .unavailable)

    /// A new sign-in at the provider was required, but the person did not sign in again.
    package static let old = BridgeFailure(
        error: "login_required",
        sentence:
            "The identity provider did not ask you to sign in again, so your identity is not confirmed. Sign out there "
            + "and try again.", reason: "old-sign-in", outcome: .refused)

    /// A new sign-in at the provider was required, but the provider does not report when the person signed in.
    static let noSignInTime = BridgeFailure(
        error: "login_required",
        sentence:
            "The identity provider does not report when you signed in there, so it cannot confirm your identity. Ask "
            + "your administrator for a password and confirm with it.", reason: "untold-sign-in", outcome: .refused)

    /// The provider's response cannot be trusted or read, or the gateway's configuration does not fit the provider.
    package static let failed = BridgeFailure(
        error: "server_error", sentence: "The identity provider's response could not be used; ask your administrator.",
        reason: "provider-answer", outcome: .failed)

    /// An error inside the gateway.
    package static let broken = BridgeFailure(
        error: "server_error", sentence: "The server could not complete the sign-in; try again later.", reason: nil,
        outcome: .failed)

    /// Makes the failure that corresponds to an error of a sign-in.
    package init(_ error: any Error) {
        switch error {
        case let failure as BridgeFailure: self = failure
        case let error as OpenIDConnectError: self = Self.atProvider(error)
        case let error as GatewayError: self = Self.here(error)
        default: self = .broken
        }
    }

    private static func atProvider(_ error: OpenIDConnectError) -> BridgeFailure {
        switch error.code {
        case .denied: denied
        case .refused: refused(error.providerError)
        case .unreachable: unavailable
        case .staleSignIn: old
        case .missingSignInTime: noSignInTime
        default: failed
        }
    }

    /// Returns the failure for a person that the provider identified and this server refuses.
    private static func here(_ error: GatewayError) -> BridgeFailure {
        switch error.code {
        case .personDisabled: refused("Your account on this server is disabled.", "disabled")
        case .notInvited: refused("You have no account on this server; ask your administrator for one.", "not-invited")
        case .domainRefused:
            refused("This server does not accept e-mail addresses of your domain.", "domain-refused")
        case .emailUnverified:
            refused(
                "The identity provider did not confirm that it has verified your e-mail address. If you verified it "
                    + "there, ask your administrator: the provider must send 'email_verified'.", "email-unverified")
        case .invalidEmail:
            refused("The identity provider sent an e-mail address that is not valid.", "invalid-email")
        case .signedOut: refused("You were signed out in the meantime; sign in again.", "signed-out")
        case .identityRefused:
            refused("Your account at the identity provider is not linked to an account on this server.", "not-linked")
        case .passwordChangeRequired:
            refused(
                "You must change your password on this server first. Sign in with it in a browser, or ask your "
                    + "administrator.",
                "password-change-required")
        case .unknownPerson: refused("Your account on this server has just been changed; try again.", "person-changed")
        default: broken
        }
    }

    /// The errors that another account of the provider may not have.
    private static let codesOfAccounts: [GatewayError.Code] = [
        .emailUnverified, .identityRefused, .notInvited, .domainRefused, .invalidEmail, .personDisabled,
    ]

    private static func refused(_ sentence: String, _ reason: StaticString) -> BridgeFailure {
        BridgeFailure(error: "access_denied", sentence: sentence, reason: reason, outcome: .refused)
    }

    /// Makes the failure of an identity that is not linked to a person.
    package init(_ error: any Error, of identity: ProviderIdentity) {
        self.init(error)
        let code = (error as? GatewayError)?.code
        if let code, [.emailUnverified, .identityRefused, .notInvited].contains(code) { subject = identity.subject }
        if let code, Self.codesOfAccounts.contains(code) {
            account = (identity.email ?? identity.name)?.displayName(limit: 100)
        }
    }

    private init(error: String, sentence: String, reason: StaticString?, outcome: Metrics.BridgeOutcome) {
        self.error = error
        self.sentence = sentence
        self.reason = reason
        self.outcome = outcome
    }
}
