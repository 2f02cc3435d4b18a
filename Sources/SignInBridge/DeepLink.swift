import HTTPMessages

/// The address that returns a sign-in to an app: the app's redirect address, with the outcome in the query. It never
/// contains a token.
///
/// Source: OX-4; RFC 6749 §4.1.2 and §4.1.2.1; docs/protocols/onyx.md, Callback.
package enum DeepLink {
    /// Returns the address with a one-time code.
    package static func code(_ code: OneTimeCode, to redirect: String, state: String) -> String {
        link(redirect, [("code", code.text), ("state", state)])
    }

    /// Returns the address with an error. `error` is a code of RFC 6749 §4.1.2.1 or of OpenID Connect Core §3.1.2.6.
    package static func error(_ error: String, _ description: String, to redirect: String, state: String) -> String {
        link(redirect, [("error", error), ("error_description", description), ("state", state)])
    }

    /// Returns an address with parameters added to its query.
    package static func link(_ redirect: String, _ pairs: [(String, String)]) -> String {
        guard !pairs.isEmpty else { return redirect }
        // A space becomes `%20`, because an app's parser may read `+` literally.
        let query = pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return redirect + (redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
