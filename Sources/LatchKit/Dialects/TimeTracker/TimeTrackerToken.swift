import Crypto
import HTTPMessages

/// Reads the lifetime of a Time Tracker token. The signature is not verified; the server does that.
///
/// Source: docs/protocols/time-tracker.md, Tokens; RFC 7519 §4.1.
enum TimeTrackerToken {
    // Ten years, in seconds. A longer lifetime is taken for an error and cut to this.
    private static let longest = 315_360_000.0

    /// Returns whether a text can be sent as a bearer token.
    static func isSendable(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(" ") && HTTPHeaders.isSafe(name: "Authorization", value: text)
    }

    /// Returns the lifetime of a token, from `seconds` in the response or otherwise from the token's `iat` and `exp`.
    /// Nil when both are missing. Both are relative to the server's clock, so the result does not depend on the clock
    /// of this machine.
    static func lifetime(of token: String, expiresIn seconds: Int?) -> Duration? {
        if let seconds, seconds > 0 { return .seconds(min(Double(seconds), longest)) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSONValue(parsing: payload), let end = claims["exp"]?.number,
            let start = claims["iat"]?.number, end > start
        else { return nil }
        return .seconds(min(end - start, longest))
    }
}
