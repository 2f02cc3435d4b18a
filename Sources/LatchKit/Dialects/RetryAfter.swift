import HTTPClient

/// Reads the delay that a server asks for.
///
/// Source: RFC 9110 §10.2.3. Only the form in seconds is supported, not the one with a date.
enum RetryAfter {
    /// Returns the delay in the `Retry-After` field, at most one day. Nil when there is none or it cannot be read.
    static func read(_ response: ClientResponse) -> Duration? {
        response.headers["Retry-After"].flatMap { Int($0) }.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
