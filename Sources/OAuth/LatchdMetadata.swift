/// The metadata of a gateway: where its token endpoints are, and what its sign-in supports.
///
/// The members have the names of RFC 8414, but the document is not an RFC 8414 document: that needs an authorization or token
/// endpoint of OAuth. So it is not served at the address of RFC 8414 either.
public enum LatchdMetadata {
    /// The well-known part of the metadata's address, between the host and the path of the issuer.
    public static let wellKnown = "/.well-known/latchd"

    /// The member that tells whether a sign-in may redirect to any port of a loopback address.
    public static let loopbackRedirects = "loopback_redirects_supported"

    /// The path of the metadata of an issuer.
    ///
    /// Source: RFC 8414 §3.1 for the order; RFC 8615.
    public static func path(of issuer: String) -> String {
        let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return wellKnown + (parts.count > 3 && !parts[3].isEmpty ? "/" + parts[3] : "")
    }
}
