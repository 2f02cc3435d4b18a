import FoundationEssentials
public import LatchKit
public import Observation

/// The question whether to trust a certificate that the system does not trust.
///
/// Source: IM-16.
@MainActor @Observable
public final class TrustScreen {
    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Trust this certificate?"
        /// What the person must do before answering.
        public static let advice =
            "Compare the fingerprint with the one that the operator of the server gave you. Trust the certificate only "
            + "if both are equal. Otherwise someone else could read your password."
        /// The button that accepts.
        public static let trust = "Trust"
        /// The button that refuses.
        public static let cancel = CommonText.cancel
    }

    /// One line about the certificate.
    public struct Fact: Sendable, Equatable {
        /// The name of the fact, such as "Issuer".
        public let name: String
        /// The value, safe to be displayed.
        public let value: String
    }

    /// The address of the server.
    public let address: ServerAddress
    /// The certificate.
    public let certificate: PresentedCertificate
    /// Why the system does not trust the certificate.
    public let error: ScreenError

    @ObservationIgnored private let onAnswer: @MainActor (_ isTrusted: Bool) -> Void

    init(
        _ certificate: PresentedCertificate, at address: ServerAddress, _ error: ScreenError,
        onAnswer: @escaping @MainActor (Bool) -> Void
    ) {
        self.certificate = certificate
        self.address = address
        self.error = error
        self.onAnswer = onAnswer
    }

    /// The facts that the person compares. The fingerprint is the SHA-256 of the certificate.
    public var facts: [Fact] {
        let names = (certificate.dnsNames + certificate.ipAddresses).joined(separator: ", ")
        return [
            Fact(name: "Subject", value: ScreenText.line(certificate.subject)),
            Fact(
                name: "Issuer",
                value: certificate.isSelfSigned ? "itself (self-signed)" : ScreenText.line(certificate.issuer)),
            Fact(name: "For", value: names.isEmpty ? "no name" : ScreenText.line(names)),
            Fact(
                name: "Valid",
                value: "\(certificate.notBefore.formatted(.iso8601.year().month().day())) to "
                    + certificate.notAfter.formatted(.iso8601.year().month().day())),
            Fact(name: "SHA-256", value: certificate.fingerprint.description),
        ]
    }

    /// Trusts the certificate for this server only, and connects again.
    public func trust() { onAnswer(true) }

    /// Returns to the address of the server.
    public func cancel() { onAnswer(false) }
}
