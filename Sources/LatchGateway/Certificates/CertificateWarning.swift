public import FoundationEssentials
public import HTTPServer

/// What an operator should look at before clients complain of the certificate.
public enum CertificateWarning: Sendable, Equatable {
    /// It does not hold any more.
    case expired
    /// It holds for less than ``CertificateWarning/notice``.
    case expiresSoon(days: Int)
    /// It does not hold yet.
    case notYetValid
    /// Everybody on the machine may read the key, or change it.
    case keyIsOpen(path: String)

    /// How long before its end there is a warning: 14 days.
    public static let notice: TimeInterval = 14 * 86_400

    /// Everything that is to be said of a certificate and its files at a moment.
    public static func all(
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

    /// A constant sentence for the log.
    var message: StaticString {
        switch self {
        case .expired: "The certificate has expired: clients refuse it."
        case .expiresSoon: "The certificate expires soon."
        case .notYetValid: "The certificate does not hold yet: clients refuse it."
        case .keyIsOpen: "Others on this machine may read the certificate's key."
        }
    }

    /// What to do.
    var remedy: String {
        switch self {
        case .expired, .expiresSoon: "replace the files; they are taken by themselves"
        case .notYetValid: "look at this machine's clock, or replace the files"
        case .keyIsOpen(let path): "run: chmod o-rwx '\(path)'"
        }
    }

    /// One sentence with what to do.
    public var sentence: String {
        switch self {
        case .expiresSoon(let days):
            "The certificate expires in \(days == 1 ? "1 day" : "\(days) days"); \(remedy)."
        default: "\("\(message)".dropLast()); \(remedy)."
        }
    }
}
