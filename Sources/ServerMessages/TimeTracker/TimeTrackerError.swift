import HTTPMessages

/// The error response of Time Tracker: `{"error": "…"}`, with a sentence for the person.
///
/// Source: TT-9; docs/protocols/time-tracker.md, Errors.
package struct TimeTrackerError: Codable, Sendable, Equatable {
    /// The error message.
    package var error: String

    /// Creates an error response.
    package init(_ error: String) {
        self.error = error
    }
}
