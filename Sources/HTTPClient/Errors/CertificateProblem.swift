/// Why a server's certificate was not accepted.
public enum CertificateProblem: String, Hashable, Sendable, CaseIterable {
    /// No trusted authority stands behind it.
    case unknownIssuer
    /// Its last day has passed.
    case expired
    /// Its first day has not come, or this machine's clock is behind.
    case notYetValid
    /// It is for another host.
    case wrongName
    /// It stands behind itself, as certificates made at home do.
    case selfSigned
    /// It is not the one that was pinned.
    case pinMismatch
    /// Anything else that the verification found.
    case other
}
