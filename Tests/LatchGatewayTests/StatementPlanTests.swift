import Foundation
import TestSupport
import Testing

@testable import Database
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The statements read rows of one person, client, address or key, and never all rows of a table that grows.
@Suite(.timeLimit(.minutes(20)))
struct StatementPlanTests {
    /// The statements that may read more, with the reason.
    static let exceptions: [String: String] = [
        // Administrators and commands.
        "APIKeyStatements.list": "a command and a page of administrators",
        "IdentityStatements.all": "a command",
        "IdentityStatements.withPassword": "a command",
        "PeopleStatements.all": "a command",
        "PeopleStatements.count": "a command",
        "PeopleStatements.page": "a page of administrators, at most 31 rows after the search",
        "SessionStatements.list": "a command",
        "SessionStatements.livePage": "a page of administrators, at most 31 live sessions",
        "PeopleStatements.disable": "reads the administrators",
        "PeopleStatements.mayUnlink": "reads the administrators",
        "PeopleStatements.remove": "reads the administrators",
        "PeopleStatements.setAdministrator": "reads the administrators",
        // When a gateway starts.
        "IdentityStatements.providersWithGroups": "when a gateway starts",
        "IdentityStatements.deleteGroups": "when a gateway starts with other providers",
        // Files of the operator's folders, whose number people cannot change.
        "AssetStatements.albumPaths": "folders, once for each scan",
        "AssetStatements.albums": "the albums of a person, of all files, once for each change of the library",
        "AssetStatements.changes": "those that are new",
        "AssetStatements.firstChange": "reads one row",
        "AssetStatements.lastChange": "reads one row",
        "AssetStatements.usage": "the files of a person, of all files",
        // One row.
        "PeopleStatements.hasPeople": "reads one row",
        "ServiceRoutes.ask": "reads one row",
        // A reader, for metrics or once an hour.
        "PeopleStatements.kinds": "a reader, once an hour",
        "SessionStatements.countLive": "a reader, for metrics; it reads an index only",
        // Work of every minute or ten minutes, in steps of a maximum number of rows.
        "APIKeyStatements.purge": "at most 500 rows, those that are deleted",
        "AttemptStatements.count": "at most 100,000 rows, once a minute",
        "AttemptStatements.deleteEnded": "the attempts of the last minutes, once a minute",
        "AttemptStatements.deleteIdle": "at most 100,000 rows, once a minute",
        "AttemptStatements.deleteLeast": "at most 100,000 rows, when there are more",
        "KnownAddressStatements.deleteUnused": "at most 1,000 rows, those that are deleted, once a minute",
        "ClientSessionStatements.purge": "at most 500 rows, those that are deleted",
        "DeviceStatements.purge": "at most 500 rows, those that are deleted",
        "SessionStatements.endOrphans": "the sessions that were created from others, once in ten minutes",
        "SessionStatements.purgeEnded": "at most 500 rows, those that are deleted",
        "SessionStatements.purgeExpired": "at most 500 rows, those that are deleted",
        "one_time_codes.deleteExpired": "at most 1,000 rows, those that are deleted",
        "client_assertions.deleteExpired": "at most 1,000 rows, those that are deleted",
        "used_proofs.deleteExpired": "at most 1,000 rows, those that are deleted",
        "one_time_codes.trim": "at most 1,000 rows, those that are deleted",
        "client_assertions.trim": "at most 1,000 rows, those that are deleted",
        "used_proofs.trim": "at most 1,000 rows, those that are deleted",
        "one_time_codes.count": "a reader, once a minute",
        "client_assertions.count": "a reader, once a minute",
        "used_proofs.count": "a reader, once a minute",
        // Tables with a maximum.
        "BanStatements.all": "at most 1,000 rows",
        "BanStatements.countOthers": "at most 1,000 rows",
        "BanStatements.removeEnded": "at most 1,000 rows",
        "ClientSignOutStatements.dueClients": "the sign-outs that are due, by a reader once a second",
        "DeviceStatements.count": "an index of at most 8,192 rows",
        "DeviceStatements.trim": "at most 8,192 rows, when there are more",
        "WaitingRequestStatements.removeExpired": "those that are deleted",
        "WaitingRequestStatements.trim": "at most 8,192 rows, once a minute",
    ]

    @Test("every statement reads rows of one value of an index, or has a reason to read more")
    func plans() async throws {
        try await GatewayFixture.with { fixture in
            if TestDatabase.isServer { try await FilledTables.fill(fixture.gateway.stores.database) }
            var missing: [String] = []
            for statement in EveryStatement.all {
                let plan = try await fixture.gateway.stores.database.read { try QueryPlan(statement.text, $0) }
                let wide = plan.accesses.filter { DatabaseTables.growing.contains($0.table) && !$0.isByValue }
                guard !wide.isEmpty, Self.exceptions[statement.name] == nil else { continue }
                missing.append("\(statement.name): \(wide.map(\.text).joined(separator: "; "))")
            }
            #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
        }
    }

    @Test("the check finds a scan of a table, and a part of an index that has the rows of everybody")
    func finds() async throws {
        try await GatewayFixture.with { fixture in
            if TestDatabase.isServer { try await FilledTables.fill(fixture.gateway.stores.database) }
            for (sql, isByValue) in [
                ("SELECT id FROM sessions WHERE device_name = ?", false),
                ("SELECT id FROM sessions WHERE ended_at > ?", false),
                ("SELECT id FROM sessions WHERE id = ?", true),
            ] {
                let text = SQLText(sql, parameters: [sql.contains("ended_at") ? .integer : .text])
                let plan = try await fixture.gateway.stores.database.read { try QueryPlan(text, $0) }
                #expect(plan.accesses.map(\.table) == ["sessions"] && plan.accesses.map(\.isByValue) == [isByValue])
            }
        }
    }

    @Test("the list of statements has every statement of the sources")
    func complete() throws {
        let known = Set(EveryStatement.all.map(\.name))
        var missing: [String] = []
        for file in try Self.sources() {
            var type = ""
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let match = line.firstMatch(of: /^[a-z ]*(?:extension|enum|struct|class|actor) (\w+)/) {
                    type = String(match.1)
                }
                // Some are made by a function.
                let made = /^ *[a-z ]*static let (\w+)(?:: [^=]+)? = (?:Statement|search|pages)\(/
                guard let match = line.firstMatch(of: made) else { continue }
                let name = "\(type).\(match.1)"
                if !known.contains(name) { missing.append("\(name) in \(file.lastPathComponent)") }
            }
        }
        #expect(missing.isEmpty, "Add them to EveryStatement: \(missing.joined(separator: ", "))")
        #expect(Set(Self.exceptions.keys).isSubset(of: known))
    }

    private static func sources() throws -> [URL] {
        let modules = [
            "GatewayCore", "PictureLibrary", "SignInBridge", "LatchGateway", "GatewayHTTP", "GatewayPages",
            "AuthorizationServer", "ForwardAuth", "GatewayDialects",
        ]
        let root = URL(fileURLWithPath: Products.packageFolder + "/Sources")
        // The state of the database is read by commands and when a gateway starts.
        let left: Set = ["DatabaseStatus.swift"]
        return modules.flatMap { module in
            FileManager.default.enumerator(at: root.appendingPathComponent(module), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL } ?? []
        }.filter { $0.pathExtension == "swift" && !left.contains($0.lastPathComponent) }
    }
}
