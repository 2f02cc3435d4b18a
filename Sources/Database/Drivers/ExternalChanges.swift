/// Changes that others made in a database: other programs, or another ``Database`` on the same data.
package struct ExternalChanges: Sendable, Equatable {
    /// The messages that the schema's triggers sent, in their order.
    package var messages: [String]
    /// Whether ``messages`` names all changes that matter. When false, anything may have changed.
    package var isComplete: Bool
    /// The difference of the database's clock to the one of this program. Positive when the database's is ahead. Nil
    /// for a database on the same machine.
    package var clockDifference: Duration?

    /// Creates a value.
    package init(messages: [String] = [], isComplete: Bool = true, clockDifference: Duration? = nil) {
        self.messages = messages
        self.isComplete = isComplete
        self.clockDifference = clockDifference
    }
}
