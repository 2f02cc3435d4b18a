import Wire

/// The address that gives a sign-in back to an app: its redirect, with the outcome in the query. Never a token.
///
/// Source: OX-4; RFC 6749 §4.1.2 and §4.1.2.1; contract of Onyx, callback.
enum DeepLink {
    /// The address with a one-time code.
    static func code(_ code: OneTimeCode, to redirect: String, state: String) -> String {
        link(redirect, [("code", code.text), ("state", state)])
    }

    /// The address that tells why there is none. `error` is a word of RFC 6749 §4.1.2.1 or of OpenID Connect Core §3.1.2.6.
    static func error(_ error: String, _ description: String, to redirect: String, state: String) -> String {
        link(redirect, [("error", error), ("error_description", description), ("state", state)])
    }

    private static func link(_ redirect: String, _ pairs: [(String, String)]) -> String {
        // An app's parser may take `+` for itself, so a space is `%20`.
        let query = pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return redirect + (redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
