public import FoundationEssentials
import HTTPMessages

extension ClientResponse {
    /// Returns how long the server asks the client to wait, from the seconds or the date in the `Retry-After` field.
    /// Nil when there is no readable value.
    ///
    /// Source: RFC 9110 §10.2.3.
    public func retryAfter(now: Date) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = Int(text) { return .seconds(max(seconds, 0)) }
        return FieldDate.seconds(text).map { .seconds(max(0, Double($0) - now.timeIntervalSince1970)) }
    }
}
