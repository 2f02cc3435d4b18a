import Arguments

extension DaemonProgram {
    static let database: Command<any ExecutableCommand> = Command(
        "database", "Look at, migrate, copy, back up and restore the database.",
        commands: [showDatabase, migrateDatabase, copyDatabase, backUpDatabase, restoreDatabase])

    private static let showDatabase: Command<any ExecutableCommand> = Command(
        "status", "Show whether the database answers, its version, what a commit waits for, and warnings.",
        discussion: "Nothing is changed. Exit code 69 means that the database does not answer.", arguments: [json]
    ) { given in ShowDatabase(configurationPath: given[config], isJSON: given[json]) }

    private static let migrateDatabase: Command<any ExecutableCommand> = Command(
        "migrate", "Create the tables, or migrate them to this version.",
        discussion: """
            'latchd serve' does the same when it starts. Gateways of the version before may run meanwhile.
            """
    ) { given in MigrateDatabase(configurationPath: given[config]) }

    private static let copyDatabase: Command<any ExecutableCommand> = {
        let target = Option<String>(
            "to", value: "DATABASE", completion: .file,
            help: "An SQLite file or the address of a PostgreSQL database, without people and sessions.")
        return Command(
            "copy", "Copy everything into another database, and compare every table.",
            discussion: """
                The target is created, and written in one transaction. If the copy is interrupted, repeat it. Stop all \
                gateways before, because what they write afterwards is not copied. Then set 'database' to the target.
                """, arguments: [target]
        ) { given in CopyDatabase(configurationPath: given[config], target: given[target]) }
    }()

    private static let backUpDatabase: Command<any ExecutableCommand> = {
        let file = Argument<String>("FILE", completion: .file, help: "The new file.")
        return Command(
            "backup", "Write a backup, while gateways run.",
            discussion: """
                The backup is an SQLite file, for both kinds of databases. It never replaces a file. It contains \
                personal data and hashes of passwords and tokens. The file bridge.key and the configuration are not \
                part of it.
                """, arguments: [file]
        ) { given in BackUpDatabase(configurationPath: given[config], path: given[file]) }
    }()

    private static let restoreDatabase: Command<any ExecutableCommand> = {
        let file = Argument<String>("FILE", completion: .file, help: "A backup.")
        return Command(
            "restore", "Read a backup into the configured database, which must be empty.",
            discussion: """
                Stop all gateways before. Sessions and keys that were revoked after the backup are valid again. A copy \
                of the backup is read, which needs as much free space beside the database or, with PostgreSQL, beside \
                the backup.
                """, arguments: [file]
        ) { given in RestoreDatabase(configurationPath: given[config], path: given[file]) }
    }()
}
