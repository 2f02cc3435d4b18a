/// The reason why a server's certificate was not accepted.
package enum CertificateProblem: String, Hashable, Sendable, CaseIterable {
    /// No trusted authority issued the certificate.
    case unknownIssuer
    /// The certificate has expired.
    case expired
    /// The certificate is not valid yet, or this machine's clock is wrong.
    case notYetValid
    /// The certificate is for another host.
    case wrongName
    /// The certificate is signed by its own key, as self-made certificates are.
    case selfSigned
    /// The certificate is not the pinned one.
    case pinMismatch
    /// Any other problem that the verification found.
    case other
}
