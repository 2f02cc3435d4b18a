/// The one error envelope of Time Tracker: `{"error": "…"}`, a sentence for the person.
///
/// Source: TT-9; specification of Time Tracker §2.
public struct TimeTrackerError: Codable, Sendable, Equatable {
    /// The sentence.
    public var error: String

    /// Makes an envelope.
    public init(_ error: String) {
        self.error = error
    }
}
