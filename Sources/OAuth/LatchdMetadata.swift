/// The metadata of a gateway: the locations of its token endpoints and the features of its sign-in.
///
/// The members have the names of RFC 8414, but the document is not RFC 8414 metadata. RFC 8414 requires an OAuth
/// authorization endpoint and token endpoint, and the gateway has neither. The document therefore has its own path.
package enum LatchdMetadata {
    /// The part of the metadata's URL between the host and the path of the issuer.
    package static let wellKnown = "/.well-known/latchd"

    /// The name of the member that says whether redirect addresses may have any port of a loopback address.
    package static let loopbackRedirects = "loopback_redirects_supported"

    /// Returns the path of the metadata of an issuer.
    ///
    /// Source: RFC 8414 §3.1 for the order; RFC 8615.
    package static func path(of issuer: String) -> String {
        let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return wellKnown + (parts.count > 3 && !parts[3].isEmpty ? "/" + parts[3] : "")
    }
}
