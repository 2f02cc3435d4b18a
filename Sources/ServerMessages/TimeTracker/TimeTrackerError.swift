/// The error response of Time Tracker: `{"error": "…"}`, with a sentence for the person.
///
/// Source: TT-9; specification of Time Tracker §2.
public struct TimeTrackerError: Codable, Sendable, Equatable {
    /// The error message.
    public var error: String

    /// Creates an error response.
    public init(_ error: String) {
        self.error = error
    }
}
