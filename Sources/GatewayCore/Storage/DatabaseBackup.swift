import CLibrary
package import Database
import FoundationEssentials

/// Writes and reads backups. A backup is an SQLite file with all tables, whatever the kind of the database.
package enum DatabaseBackup {
    /// Writes a backup, while gateways may use the database.
    ///
    /// The file appears under its name only when it is complete and on the disk, and never replaces another one. It is
    /// written in a folder `PATH.RANDOM.part` beside it. After a crash, the next backup to the same path removes it.
    ///
    /// - Parameters:
    ///   - source: The database to back up.
    ///   - path: The path of the new file. It has mode 0600.
    ///   - onProgress: See ``DatabaseCopy/run(from:to:act:onProgress:)``.
    /// - Returns: The tables of the backup.
    /// - Throws: ``GatewayError/Code/file`` when there is already a file or a link with this name, or when it cannot be
    ///   written; `DatabaseError`.
    ///
    /// Source: link(2), `EEXIST`.
    package static func write(
        _ source: Database, to path: String, onProgress: @escaping @Sendable (DatabaseCopy.Progress) -> Void = { _ in }
    ) async throws -> [DatabaseCopy.Table] {
        let act = "write the backup '\(path)'"
        try requireFree(path, act)
        let folder = try WorkFolder(path, to: act)
        defer { folder.remove() }
        let tables = try await DatabaseLocation.file(folder.file).open().closing { target in
            let outcome = try await DatabaseCopy.run(from: source, to: target, act: act, onProgress: onProgress)
            try await target.checkpoint()
            return outcome.tables
        }
        let error = folder.linkFile(to: path)
        guard error == 0 else {
            if error == EEXIST { throw fileExistsError(path, act) }
            throw GatewayError(
                .file,
                "Could not \(act): it cannot be given its name (\(text(of: error))); write it to a file system with "
                    + "hard links, and copy it from there.")
        }
        ParentFolder.flush(of: path)
        return tables
    }

    /// Reads a backup into a database whose tables are empty, or which already has the rows of the backup.
    ///
    /// The backup may be of an older version. It is not changed: a copy is migrated and read. The copy is in a folder
    /// `FILE.restore.RANDOM.part` with mode 0700, beside the file of the target or, when that is a server, beside the
    /// backup. After a crash, the next restoration removes it, and so does ``removeAbandonedCopies(of:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the backup.
    ///   - location: The database to write. It is created or migrated first.
    ///   - onProgress: See ``DatabaseCopy/run(from:to:act:onProgress:)``.
    /// - Returns: What was done.
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be read or is no backup; ``GatewayError/Code/database``
    ///   when the database has other rows; `DatabaseError` when the database cannot be used.
    package static func read(
        _ path: String, into location: DatabaseLocation,
        onProgress: @escaping @Sendable (DatabaseCopy.Progress) -> Void = { _ in }
    ) async throws -> DatabaseCopy.Outcome {
        let act = "restore the backup '\(path)'"
        let original = try backup(path, act)
        if let file = location.path {
            // As when the database is opened. A failure is reported by the next step.
            try? FileManager.default.createDirectory(
                atPath: ParentFolder.path(of: file), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        let folder = try WorkFolder(copyName(beside: location.path ?? path), to: act)
        defer { folder.remove() }
        do {
            try FileManager.default.copyItem(atPath: original, toPath: folder.file)
        } catch {
            throw GatewayError(
                .file,
                "Could not \(act): it cannot be copied to '\(folder.path)'; check that this user (uid \(getuid())) may "
                    + "read it and that there is enough free space.")
        }
        return try await open(folder.file, act).closing { source in
            try await location.open(isBulk: true).closing { target in
                try await DatabaseCopy.run(from: source, to: target, act: act, onProgress: onProgress)
            }
        }
    }

    /// Removes the copies that killed restorations into a database left beside its file.
    package static func removeAbandonedCopies(of location: DatabaseLocation) {
        if let path = location.path { WorkFolder.removeAbandoned(copyName(beside: path)) }
    }

    private static func copyName(beside path: String) -> String { path + ".restore" }

    /// Opens and migrates the copy of a backup.
    private static func open(_ copy: String, _ act: String) async throws -> Database {
        // The copy has the mode of the backup, which may not allow to write.
        unsafe chmod(copy, 0o600)
        do throws(DatabaseError) {
            // An empty file would become an empty database.
            guard try await DatabaseLocation.file(copy).schemaVersion() > 0 else {
                throw DatabaseError(.notADatabase, "no tables")
            }
            return try await DatabaseLocation.file(copy).open()
        } catch {
            let remedy =
                switch error.code {
                case .notADatabase, .corrupt:
                    "it is not a backup, or it is damaged; name a file of 'latchd database backup'."
                case .newerThanProgram: "it was written by a newer latchd; use that version."
                default: "its copy cannot be read; \(error.message)"
                }
            throw GatewayError(.file, "Could not \(act): \(remedy)")
        }
    }

    private static func requireFree(_ path: String, _ act: String) throws(GatewayError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.contains("://"), !path.utf8.contains(0) else {
            throw GatewayError(.file, "Could not \(act): this is not the path of a file; name a new file.")
        }
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { throw fileExistsError(path, act) }
    }

    private static func fileExistsError(_ path: String, _ act: String) -> GatewayError {
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
        return GatewayError(
            .file,
            "Could not \(act): \(isLink ? "this is a symbolic link" : "it exists already"); name a new file.")
    }

    /// Returns the path of a backup without symbolic links. A copy of a link would be another name of the original.
    private static func backup(_ path: String, _ act: String) throws(GatewayError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw unreadableError(errno, act) }
        defer { unsafe free(resolved) }
        let path = unsafe String(cString: resolved)
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw unreadableError(errno, act) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GatewayError(
                .file, "Could not \(act): it is not a regular file; name a file of 'latchd database backup'.")
        }
        var log = stat()
        guard unsafe stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
            throw GatewayError(
                .file,
                "Could not \(act): it is a database in use, because '\(path)-wal' has changes; name a file of "
                    + "'latchd database backup'.")
        }
        return path
    }

    private static func unreadableError(_ error: Int32, _ act: String) -> GatewayError {
        GatewayError(.file, "Could not \(act): \(text(of: error)); check the name, and that this user may read it.")
    }

    private static func text(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
