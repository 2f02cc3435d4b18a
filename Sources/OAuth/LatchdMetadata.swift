/// The metadata of a gateway: where its token endpoints are, and what its sign-in supports.
///
/// The members have the names of RFC 8414, but the document is not RFC 8414 metadata: that requires an authorization and a
/// token endpoint of OAuth, and the gateway has neither. So it is served at a path of its own.
public enum LatchdMetadata {
    /// The part between the host and the path of the issuer in the address of the metadata.
    public static let wellKnown = "/.well-known/latchd"

    /// The name of the member that says whether a sign-in may end at any port of a loopback address.
    public static let loopbackRedirects = "loopback_redirects_supported"

    /// The path of the metadata of an issuer.
    ///
    /// Source: RFC 8414 §3.1 for the order; RFC 8615.
    public static func path(of issuer: String) -> String {
        let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return wellKnown + (parts.count > 3 && !parts[3].isEmpty ? "/" + parts[3] : "")
    }
}
