import Database
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// The configured database, for the commands that concern it as a whole.
private struct ConfiguredDatabase {
    let location: DatabaseLocation

    init(_ configurationPath: String?, _ environment: [String: String]) throws {
        location = try ConfigurationFile(path: configurationPath, environment: environment).configuration.settings
            .database
    }

    /// Opens a database to read it, without migrating it.
    static func withSource<Value: Sendable>(
        _ location: DatabaseLocation, _ body: (Database) async throws -> Value
    ) async throws -> Value {
        let (version, current) = (try await location.schemaVersion(), DatabaseLocation.schemaVersion)
        guard version == current else {
            throw Failure(
                .input,
                "Could not read '\(location.description.printable)': its tables have version \(version), and this program "
                    + "has \(current); "
                    + (version == 0
                        ? "check 'database' in the configuration."
                        : version < current
                            ? "run 'latchd database migrate' first, or use the older program."
                            : "use the newer program."))
        }
        return try await closing(try await location.openForInspection(isBulk: true), body)
    }

    /// Opens the database, runs `body` and closes it, even when `body` throws.
    static func with<Value: Sendable>(
        _ location: DatabaseLocation, _ body: (Database) async throws -> Value
    ) async throws -> Value {
        try await closing(try await location.open(isBulk: true), body)
    }

    private static func closing<Value: Sendable>(
        _ database: Database, _ body: (Database) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}

/// `latchd database status`: prints the state of the database.
struct ShowDatabase: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let location = try ConfiguredDatabase(configurationPath, environment).location
        let status = try await DatabaseStatus.read(location)
        if isJSON {
            try Output.json(json(location, status))
        } else {
            try Output.lines(lines(location, status))
        }
        return .done
    }

    private func lines(_ location: DatabaseLocation, _ status: DatabaseStatus) -> [String] {
        let current = DatabaseLocation.schemaVersion
        let note =
            status.schemaVersion == current
            ? "current"
            : status.schemaVersion < current
                ? "run 'latchd database migrate', which brings it to \(current)"
                : "newer than this program, which has \(current)"
        var lines = [
            "database   \(location.description.printable)",
            "product    \(status.product.printable)",
            "version    \(status.schemaVersion) (\(note))",
            "durability \(status.durability.printable)",
            "size       \(status.size) bytes",
        ]
        if let counts = status.counts {
            lines.append("contents   \(counts.people) people, \(counts.sessions) sessions that have not ended")
        }
        if let difference = status.clockDifference {
            let seconds = difference / .seconds(1)
            let isTooLarge = abs(seconds) > ClockDifference.tolerated / .seconds(1)
            lines.append(
                "clock      \(Int(seconds.rounded())) s ahead of this machine"
                    + (isTooLarge ? ": more than a minute; set both clocks by NTP" : ""))
        }
        return lines
    }

    private func json(_ location: DatabaseLocation, _ status: DatabaseStatus) -> JSONValue {
        var object: [(String, JSONValue)] = [
            ("database", .string(location.description)), ("product", .string(status.product)),
            ("version", .number(JSONNumber(status.schemaVersion))),
            ("programVersion", .number(JSONNumber(DatabaseLocation.schemaVersion))),
            ("durability", .string(status.durability)), ("hasConfirmedCopy", .bool(status.hasConfirmedCopy)),
            ("size", .number(JSONNumber(status.size))),
        ]
        if let counts = status.counts {
            object.append(("people", .number(JSONNumber(counts.people))))
            object.append(("sessions", .number(JSONNumber(counts.sessions))))
        }
        if let difference = status.clockDifference {
            object.append(("clockDifferenceMilliseconds", .number(JSONNumber(Int(difference / .milliseconds(1))))))
        }
        return .object(object.map { JSONValue.Member($0, $1) })
    }
}

/// `latchd database migrate`: migrates the tables.
struct MigrateDatabase: ExecutableCommand {
    let configurationPath: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let location = try ConfiguredDatabase(configurationPath, environment).location
        let before = location.isMissingFile ? 0 : try await location.schemaVersion()
        try await ConfiguredDatabase.with(location) { _ in }
        let current = DatabaseLocation.schemaVersion
        try Output.lines([
            before == current
                ? "The tables already have version \(current)."
                : "Migrated the tables from version \(before) to \(current)."
        ])
        return .done
    }
}

/// `latchd database copy`: copies everything into another database.
struct CopyDatabase: ExecutableCommand {
    let configurationPath: String?
    let target: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        guard let target else {
            throw Failure(.usage, "Could not copy the database: name the target with '--to DATABASE'.")
        }
        let source = try ConfiguredDatabase(configurationPath, environment).location
        let location = try DatabaseLocation(target)
        guard source != location else {
            throw Failure(.usage, "Could not copy the database: the target is the configured database itself.")
        }
        guard !source.isMissingFile else {
            throw Failure(.notFound, "Could not copy the database: there is no file '\(source.description.printable)'.")
        }
        let outcome = try await ConfiguredDatabase.withSource(source) { source in
            try await ConfiguredDatabase.with(location) { try await DatabaseCopy.run(from: source, to: $0) }
        }
        try Output.lines(outcome.lines(copied: "Copied and compared", existing: "The target already has the same rows"))
        return .done
    }
}

/// `latchd database backup`: writes a backup.
struct BackUpDatabase: ExecutableCommand {
    let configurationPath: String?
    let path: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let source = try ConfiguredDatabase(configurationPath, environment).location
        guard !source.isMissingFile else {
            throw Failure(
                .notFound, "Could not back up the database: there is no file '\(source.description.printable)'.")
        }
        let tables = try await ConfiguredDatabase.withSource(source) {
            try await DatabaseBackup.write($0, to: path)
        }
        try Output.lines(
            DatabaseCopy.Outcome.copied(tables).lines(copied: "Wrote '\(path.printable)'", existing: ""))
        return .done
    }
}

/// `latchd database restore`: reads a backup.
struct RestoreDatabase: ExecutableCommand {
    let configurationPath: String?
    let path: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let location = try ConfiguredDatabase(configurationPath, environment).location
        let outcome = try await ConfiguredDatabase.with(location) { try await DatabaseBackup.read(path, into: $0) }
        try Output.lines(
            outcome.lines(copied: "Restored and compared", existing: "The database already has the rows of the backup"))
        return .done
    }
}

extension DatabaseCopy.Outcome {
    /// Returns one line with the total, and one for each table that has rows.
    fileprivate func lines(copied: String, existing: String) -> [String] {
        let act =
            switch self {
            case .copied: copied
            case .wasComplete: existing
            }
        let total = tables.reduce(0) { $0 + $1.count }
        return ["\(act): \(total) rows in \(tables.count) tables."]
            + tables.filter { $0.count > 0 }.map { "  \($0.name) \($0.count)" }
    }
}

extension DatabaseLocation {
    /// Whether this is a path without a file.
    fileprivate var isMissingFile: Bool { path.map { !FileManager.default.fileExists(atPath: $0) } ?? false }
}
