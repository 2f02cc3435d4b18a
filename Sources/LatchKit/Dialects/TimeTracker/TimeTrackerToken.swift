/// What a client may look at in a token of Time Tracker's: how long it is good. It is not checked; the server does that.
///
/// Source: contract of Time Tracker, b.2; RFC 7519 §4.1.
enum TimeTrackerToken {
    // What is longer can be no end: ten years, in seconds.
    private static let longest = 315_360_000.0

    /// Whether a text can be sent as a bearer token.
    static func isSendable(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(" ") && HTTPHeaders.isSafe(name: "Authorization", value: text)
    }

    /// How long a token is good, from what the server told beside it, or else from its own `iat` and `exp`; nil where
    /// neither says. Both count from the server's clock, so that this machine's may be wrong.
    static func lifetime(of token: String, told seconds: Int?) -> Duration? {
        if let seconds, seconds > 0 { return .seconds(min(Double(seconds), longest)) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSONValue(parsing: payload), let end = claims["exp"]?.number,
            let start = claims["iat"]?.number, end > start
        else { return nil }
        return .seconds(min(end - start, longest))
    }
}
