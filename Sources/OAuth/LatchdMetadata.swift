/// What a gateway tells of itself: where its endpoints for tokens are, and what its sign-in can do.
///
/// The members have the names that RFC 8414 gives them, and the document is none of RFC 8414's: that one is about a server with
/// an authorization or token endpoint of OAuth, and without them it is not valid. So it does not stand at that place either.
public enum LatchdMetadata {
    /// What stands between the host and the path of the issuer in the address of the metadata.
    public static let wellKnown = "/.well-known/latchd"

    /// The member that says that a sign-in may end at any port of a loopback address.
    public static let loopbackRedirects = "loopback_redirects_supported"

    /// The path of the metadata of an issuer.
    ///
    /// Source: RFC 8414 §3.1 for the order; RFC 8615.
    public static func path(of issuer: String) -> String {
        let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return wellKnown + (parts.count > 3 && !parts[3].isEmpty ? "/" + parts[3] : "")
    }
}
