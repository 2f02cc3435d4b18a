import CLibrary
package import Database
import FoundationEssentials

/// Writes and reads backups. A backup is an SQLite file with all tables, whatever the kind of the database.
package enum DatabaseBackup {
    /// Writes a backup, while gateways may use the database.
    ///
    /// The file appears under its name only when it is complete and on the disk. After a crash there may be a file with
    /// `.part` at the end of its name, which the next backup replaces.
    ///
    /// - Parameters:
    ///   - source: The database to back up.
    ///   - path: The path of the new file. It has mode 0600.
    /// - Returns: The tables of the backup.
    /// - Throws: ``GatewayError/Code/file`` when the file exists already or cannot be written; `DatabaseError`.
    package static func write(_ source: Database, to path: String) async throws -> [DatabaseCopy.Table] {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw GatewayError(.file, "Could not write the backup: '\(path)' exists already; name a new file.")
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard !path.contains("://"), FileManager.default.fileExists(atPath: folder) else {
            throw GatewayError(
                .file, "Could not write the backup: there is no folder '\(folder)'; create it, or name another file.")
        }
        let part = path + ".part"
        remove(part)
        do {
            let target = try await DatabaseLocation.file(part).open()
            let outcome: DatabaseCopy.Outcome
            do {
                outcome = try await DatabaseCopy.run(from: source, to: target)
                try await target.checkpoint()
                await target.close()
            } catch {
                await target.close()
                throw error
            }
            guard unsafe rename(part, path) == 0 else {
                throw GatewayError(.file, "Could not write the backup '\(path)': \(Self.systemMessage).")
            }
            synchronizeFolder(of: path)
            return outcome.tables
        } catch {
            remove(part)
            throw error
        }
    }

    /// Reads a backup into a database whose tables are empty, or which already has the rows of the backup.
    ///
    /// The backup may be of an older version. It is not changed: a copy is migrated and read.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be read; ``GatewayError/Code/database`` when the
    ///   database has other rows; `DatabaseError` when the file is no backup, or one of a newer version.
    package static func read(_ path: String, into target: Database) async throws -> DatabaseCopy.Outcome {
        guard FileManager.default.fileExists(atPath: path) else {
            throw GatewayError(.file, "Could not read the backup: there is no file '\(path)'.")
        }
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        guard (log?[.size] as? UInt64 ?? 0) == 0 else {
            throw GatewayError(
                .file,
                "Could not read the backup: '\(path)' is a database in use, because '\(path)-wal' has changes; restore a "
                    + "file of 'latchd database backup'.")
        }
        let folder = FileManager.default.temporaryDirectory.path + "/latchd-restore-\(UUID().uuidString)"
        guard unsafe mkdir(folder, 0o700) == 0 else {
            throw GatewayError(.file, "Could not create the folder '\(folder)': \(Self.systemMessage).")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let copy = folder + "/backup.db"
        do {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        } catch {
            throw GatewayError(
                .file,
                "Could not read the backup '\(path)': it cannot be copied to '\(folder)'; check that this user "
                    + "may read it and that there is enough free space.")
        }
        let source = try await DatabaseLocation.file(copy).open()
        do {
            let outcome = try await DatabaseCopy.run(from: source, to: target)
            await source.close()
            return outcome
        } catch {
            await source.close()
            throw error
        }
    }

    private static var systemMessage: String { unsafe String(cString: strerror(errno)) }

    private static func remove(_ part: String) {
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(part + suffix) }
    }

    /// Makes the new name survive a power failure.
    private static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe CLibrary.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        CLibrary.close(descriptor)
    }
}
