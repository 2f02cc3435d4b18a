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
        try location.refuseFolder()
    }

    /// Opens a database to read it, without migrating it. Messages begin with `act`, a verb and its object.
    static func withSource<Value: Sendable>(
        _ location: DatabaseLocation, to act: String, _ body: (Database) async throws -> Value
    ) async throws -> Value {
        try location.requireFile(to: act)
        let (version, current) = (try await location.schemaVersion(), DatabaseLocation.schemaVersion)
        guard version == current else {
            throw Failure(
                .input,
                "Could not \(act): the tables of '\(location.description.printable)' have version \(version), and this "
                    + "program has \(current); "
                    + (version == 0
                        ? "check 'database' in the configuration."
                        : version < current
                            ? "run 'latchd database migrate' first, or use the older program."
                            : "use the newer program."))
        }
        return try await location.openForInspection(isBulk: true).closing(body)
    }
}

/// `latchd database status`: prints the state of the database.
struct ShowDatabase: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let location = try ConfiguredDatabase(configurationPath, environment).location
        try location.requireFile(to: "read the status of the database")
        let status = try await DatabaseStatus.read(location)
        if isJSON {
            try Output.json(json(location, status))
        } else {
            try Output.lines(lines(location, status))
        }
        return .done
    }

    private func lines(_ location: DatabaseLocation, _ status: DatabaseStatus) -> [String] {
        var lines = [
            "database   \(location.description.printable)",
            "product    \(status.product.printable)",
            "version    \(status.schemaVersion) (\(note(on: status.schemaVersion)))",
            "durability \(status.durability.printable)",
            "size       \(status.size) bytes",
        ]
        if let counts = status.counts {
            lines.append("contents   people: \(counts.people), sessions that have not ended: \(counts.sessions)")
        }
        if let difference = status.clockDifference {
            lines.append("clock      \(ClockDifference.text(difference))")
        }
        lines += status.warnings.map { "warning    \($0.printable)" }
        return lines
    }

    private func note(on version: Int) -> String {
        let current = DatabaseLocation.schemaVersion
        return version == current
            ? "current"
            : version > current
                ? "newer than this program, which has \(current): use the newer program"
                : (version == 0 ? "no tables yet: " : "")
                    + "run 'latchd database migrate', which brings it to \(current)"
    }

    private func json(_ location: DatabaseLocation, _ status: DatabaseStatus) -> JSONValue {
        var object: [(String, JSONValue)] = [
            ("database", .string(location.description)), ("product", .string(status.product)),
            ("version", .number(JSONNumber(status.schemaVersion))),
            ("programVersion", .number(JSONNumber(DatabaseLocation.schemaVersion))),
            ("durability", .string(status.durability)), ("hasConfirmedCopy", .bool(status.hasConfirmedCopy)),
            ("size", .number(JSONNumber(status.size))), ("warnings", .array(status.warnings.map { .string($0) })),
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
        try await location.open().close()
        let current = DatabaseLocation.schemaVersion
        let change =
            switch before {
            case current: "already has the tables of version \(current)"
            case 0: "now has the tables, of version \(current)"
            default: "was migrated from version \(before) to \(current)"
            }
        try Output.lines(["The database \(location.description.printable) \(change)."])
        return .done
    }
}

/// `latchd database copy`: copies everything into another database.
struct CopyDatabase: ExecutableCommand {
    let configurationPath: String?
    let target: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        guard let target else {
            throw Failure(.usage, "Could not copy the database: no target is named; name it with '--to DATABASE'.")
        }
        let source = try ConfiguredDatabase(configurationPath, environment).location
        let location = try DatabaseLocation(target)
        try location.refuseFolder()
        guard source != location else {
            throw Failure(
                .usage,
                "Could not copy the database: the target is the configured database itself; name another one with "
                    + "'--to'.")
        }
        try requireOwnPlace(location)
        let line = ProgressLine(environment: environment)
        let outcome = try await line.during {
            try await ConfiguredDatabase.withSource(source, to: "copy the database") { source in
                try await location.open(isBulk: true).closing {
                    try await DatabaseCopy.run(from: source, to: $0, onProgress: line.show)
                }
            }
        }
        try Output.lines(outcome.lines(copied: "Copied and compared", existing: "The target already has the same rows"))
        return .done
    }

    /// Throws when the folder of the target does not exist, because its name may be misspelt, or when another user could
    /// read or replace the target.
    private func requireOwnPlace(_ location: DatabaseLocation) throws {
        guard let path = location.path else { return }
        let folder = ParentFolder.path(of: path)
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Failure(
                .notFound,
                "Could not copy the database: there is no folder '\(folder.printable)'; create it, or correct '--to'.")
        }
        try ParentFolder.requireOwn(of: path, allowsSticky: false, to: "copy the database")
        try ParentFolder.requirePrivate(path, to: "copy the database")
    }
}

/// `latchd database backup`: writes a backup.
struct BackUpDatabase: ExecutableCommand {
    let configurationPath: String?
    let path: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let source = try ConfiguredDatabase(configurationPath, environment).location
        let line = ProgressLine(environment: environment)
        let tables = try await line.during {
            try await ConfiguredDatabase.withSource(source, to: "back up the database") {
                try await DatabaseBackup.write($0, to: path, onProgress: line.show)
            }
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
        let line = ProgressLine(environment: environment)
        let outcome = try await line.during {
            line.show("Copying the backup")
            return try await DatabaseBackup.read(path, into: location, onProgress: line.show)
        }
        try Output.lines(
            outcome.lines(copied: "Restored and compared", existing: "The database already has the rows of the backup"))
        return .done
    }
}

extension ProgressLine {
    /// Runs `body`, and removes the line also when it throws.
    fileprivate func during<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        defer { remove() }
        return try await body()
    }

    fileprivate func show(_ progress: DatabaseCopy.Progress) {
        show("\(progress.step == .copying ? "Copying" : "Comparing") \(progress.table), rows: \(progress.rows)")
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
