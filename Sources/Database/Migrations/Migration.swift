/// One step of a schema from the version before to `version`.
///
/// A released migration never changes; a later one corrects it.
public struct Migration: Sendable {
    /// The schema's version after this step: 1 or more, growing from step to step.
    public let version: Int
    /// What it does, for the message when it fails.
    public let name: String
    /// Any number of statements, without transaction control.
    public let sql: String

    /// Makes a migration.
    ///
    /// - Parameters:
    ///   - version: The schema's version afterwards, 1 or more.
    ///   - name: A few words for messages.
    ///   - sql: Any number of statements; they run in one transaction with foreign keys checked at its end, so that
    ///     a table can be rebuilt.
    public init(_ version: Int, _ name: String, _ sql: String) {
        precondition(version >= 1 && version <= Int32.max, "a migration's version is 1 or more and fits 32 bits")
        self.version = version
        self.name = name
        self.sql = sql
    }
}
