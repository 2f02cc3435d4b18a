package import FoundationEssentials
package import HTTPServer

/// A problem of the certificate that an operator should solve before clients refuse the certificate.
package enum CertificateWarning: Sendable, Equatable {
    /// The certificate has expired.
    case expired
    /// The certificate expires in less than ``CertificateWarning/notice``.
    case expiresSoon(days: Int)
    /// The certificate is not valid yet.
    case notYetValid
    /// All users of the machine can read or change the key.
    case keyIsOpen(path: String)

    /// The time before the expiry from which there is a warning: 14 days.
    package static let notice: TimeInterval = 14 * 86_400

    /// Returns all warnings about a certificate and its files at a point in time.
    package static func all(
        for certificate: TLSCertificate, _ files: CertificateFiles, now: Date
    ) -> [CertificateWarning] {
        var warnings: [CertificateWarning] = []
        let left = certificate.notAfter.timeIntervalSince(now)
        if left <= 0 {
            warnings.append(.expired)
        } else if left < notice {
            warnings.append(.expiresSoon(days: Int(left / 86_400)))
        }
        if certificate.notBefore > now { warnings.append(.notYetValid) }
        if files.isKeyOpenToOthers { warnings.append(.keyIsOpen(path: files.keyPath)) }
        return warnings
    }

    /// A constant sentence that describes the problem, for the log.
    package var message: StaticString {
        switch self {
        case .expired: "The certificate has expired: clients refuse it."
        case .expiresSoon: "The certificate expires soon."
        case .notYetValid: "The certificate is not valid yet: clients refuse it."
        case .keyIsOpen: "Other users of this machine can read the certificate's key."
        }
    }

    /// The action that solves the problem, without a full stop.
    package var remedy: String {
        switch self {
        case .expired, .expiresSoon: "replace the files; they are loaded automatically"
        case .notYetValid: "check this machine's clock, or replace the files"
        case .keyIsOpen(let path): "run: chmod o-rwx '\(path)'"
        }
    }

    /// One sentence with the problem and the action.
    package var sentence: String {
        switch self {
        case .expiresSoon(let days):
            "The certificate expires in \(days == 1 ? "1 day" : "\(days) days"); \(remedy)."
        default: "\("\(message)".dropLast()); \(remedy)."
        }
    }
}
