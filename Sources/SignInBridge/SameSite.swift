/// The `SameSite` attribute of a cookie: the requests from other sites that include it.
///
/// Source: draft-ietf-httpbis-rfc6265bis §5.6.7.
package enum SameSite: String, Sendable {
    /// Only navigation to this server by a link or a redirect.
    case lax = "Lax"
    /// All requests. Required for a form that an identity provider posts.
    case none = "None"
}
