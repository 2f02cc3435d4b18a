/// How long a server asks a client to wait.
///
/// Source: RFC 9110 §10.2.3, in seconds; dates are not read.
enum RetryAfter {
    /// What the answer says; nil when it says nothing that can be read.
    static func read(_ answer: ClientResponse) -> Duration? {
        answer.headers["Retry-After"].flatMap { Int($0) }.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
