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
    package init(to version: Int, named name: String, _ sql: String) {
        precondition(version >= 1 && version <= Int32.max, "a version must be at least 1 and fit in 32 bits")
        self.version = version
        self.name = name
        self.sql = sql
    }
}

extension Migration {
    /// Requires that versions ascend.
    package static func checkOrder(_ migrations: [Migration]) {
        let versions = migrations.map(\.version)
        precondition(zip(versions, versions.dropFirst()).allSatisfy(<), "migrations must be ordered by version")
    }

    /// Runs the SQL in the caller's transaction and checks all foreign keys. Does not record the version.
    package func run(_ connection: Connection) throws(DatabaseError) {
        let subject = connection.driver.subject
        do throws(DatabaseError) {
            try connection.executeWithoutTransactionControl(sql)
            guard !connection.driver.isOutsideTransaction else {
                throw DatabaseError.rolledBack(subject)
            }
            if let table = try connection.driver.danglingReference() {
                throw DatabaseError(
                    .constraint(.foreignKey),
                    "Could not write to \(subject): a row of '\(table)' would refer to a missing row.")
            }
        } catch {
            throw DatabaseError(
                error.code,
                "Could not migrate \(subject) to version \(version) (\(name)): \(error.message)",
                cause: error)
        }
    }
}

extension Connection {
    /// Runs a script that cannot begin or end transactions.
    fileprivate func executeWithoutTransactionControl(_ script: String) throws(DatabaseError) {
        let allowed = driver.allowsTransactionControl
        driver.allowsTransactionControl = false
        defer { driver.allowsTransactionControl = allowed }
        try driver.execute(script)
    }
}

extension [Migration] {
    /// The version after all migrations. 0 without any.
    package var newestVersion: Int { last?.version ?? 0 }
}

extension DatabaseError {
    /// A newer program has migrated the file, or a module's tables in it.
    package static func newerThanProgram(
        _ database: String, subject: String = "it", version: Int, newest: Int
    ) -> DatabaseError {
        DatabaseError(
            .newerThanProgram,
            "Could not open \(database): a newer program has migrated \(subject) to version \(version), "
                + "but this program supports only versions up to \(newest); use the newer program, "
                + "or a backup of the file from before the upgrade.")
    }
}
