extension CertificateProblem {
    /// Returns the problem and its remedy, as the end of a sentence.
    func explanation(host: String) -> String {
        switch self {
        case .unknownIssuer:
            "its certificate was issued by an authority that this machine does not trust; specify that authority's "
                + "PEM file, or pin the certificate if you know its fingerprint."
        case .expired:
            "its certificate has expired; ask the server's operator to renew it, and check this machine's clock."
        case .notYetValid:
            "its certificate is not valid yet; check this machine's clock."
        case .wrongName:
            "its certificate was not issued for the name '\(host)'; use a name that the certificate contains."
        case .selfSigned:
            "its certificate is self-signed; compare its fingerprint with the operator's and pin it."
        case .pinMismatch:
            "its certificate is not the pinned one; ask the operator whether it was renewed before you pin the new "
                + "one, because the connection may be intercepted."
        case .other:
            "its certificate was not accepted; ask the server's operator to check it."
        }
    }
}
