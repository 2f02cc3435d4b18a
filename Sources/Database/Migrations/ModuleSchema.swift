/// The tables of one module in a file that several modules share.
///
/// The file's `user_version` is the version of the migrations with which ``Database/open(_:migrations:)`` opened it.
/// Each further module has its own version, so a program without that module can still open the file.
package struct ModuleSchema: Sendable {
    /// SQL that creates the table of the modules' versions. One of the migrations that open the file must contain it.
    ///
    /// The row `file` records the version that the file had before, because `user_version` changes only at the end of
    /// the transaction.
    package static let versionsTable = """
        CREATE TABLE module_versions (module TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO module_versions SELECT 'file', user_version FROM pragma_user_version;
        """

    private static let version = Statement("SELECT version FROM module_versions WHERE module = ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as Int
    }
    private static let record = Statement(
        "INSERT INTO module_versions VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version", String.self,
        Int.self)

    /// The name of the module in the table of versions.
    package let module: String
    /// All migrations ever released.
    package let migrations: [Migration]
    private let continuesFile: Bool

    /// Creates the schema of a module.
    ///
    /// - Parameters:
    ///   - module: The name of the module in the table of versions. It never changes.
    ///   - migrations: All migrations ever released, in ascending order of their versions. Foreign keys are enforced
    ///     while they run.
    ///   - continuesFile: Whether the tables had the file's own versions before modules had versions.
    package init(_ module: String, migrations: [Migration], continuesFile: Bool = false) {
        Migration.checkOrder(migrations)
        self.module = module
        self.migrations = migrations
        self.continuesFile = continuesFile
    }

    /// Whether the tables have the version of the last migration. Throws when a newer program has migrated them.
    func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        let version = try connection.first(Self.version, module) ?? 0
        guard version <= migrations.newestVersion else {
            throw DatabaseError.newerThanProgram(
                connection.driver.subject, subject: "the tables of '\(module)'", version: version,
                newest: migrations.newestVersion)
        }
        return version == migrations.newestVersion
    }

    /// Runs the migrations that the file lacks. The caller's transaction contains them all.
    func migrate(_ connection: Connection) throws(DatabaseError) {
        // Checked again under the lock, because another program may have run them meanwhile.
        guard try !isCurrent(connection) else { return }
        var version = try connection.first(Self.version, module)
        if version == nil, continuesFile { version = try connection.first(Self.version, "file") }
        for migration in migrations where (version ?? 0) < migration.version { try migration.run(connection) }
        _ = try connection.run(Self.record, module, migrations.newestVersion)
    }
}

extension Database {
    /// Migrates the tables of a module to the version of its last migration. Does nothing when this object has already
    /// done it.
    ///
    /// - Parameter schema: The tables of the module.
    /// - Throws: ``DatabaseError`` with any code that describes a file; `CancellationError`. When a migration fails,
    ///   the tables keep their version.
    package func migrate(_ schema: ModuleSchema) async throws {
        guard !isMigrated(schema.module) else { return }
        // A file that is up to date is not written to, so that reading works when the disk is full.
        if try await !read({ try schema.isCurrent($0) }) { try await write { try schema.migrate($0) } }
        recordMigration(of: schema.module)
    }
}
