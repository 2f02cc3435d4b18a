/// A condition that a write checks before its body, in the same transaction.
package protocol WriteCondition: Sendable {
    /// Checks the condition.
    ///
    /// - Throws: When the condition is not met. The body of the write is then not run, and its caller gets the error.
    func check(_ connection: Connection) throws
}
