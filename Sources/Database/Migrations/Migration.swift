/// One migration of a schema from the preceding version to `version`.
///
/// A released migration never changes. A later migration corrects its mistakes.
package struct Migration: Sendable {
    /// The schema's version after this migration. 1 or more, ascending from migration to migration.
    package let version: Int
    /// A few words that describe the migration, for error messages.
    package let name: String
    /// The SQL of the migration: any number of statements, without transaction control.
    package let sql: String

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - version: The schema's version after the migration, 1 or more.
    ///   - name: A few words that describe the migration, for error messages.
    ///   - sql: Any number of statements. They run in one transaction. Foreign keys are checked at its end, so that a
    ///     table can be rebuilt.
    package init(_ version: Int, _ name: String, _ sql: String) {
        precondition(version >= 1 && version <= Int32.max, "a version must be at least 1 and fit in 32 bits")
        self.version = version
        self.name = name
        self.sql = sql
    }
}
