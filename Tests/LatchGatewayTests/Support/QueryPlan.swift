import Foundation

@testable import Database
@testable import PostgreSQL

/// How a database reads the tables for a statement.
struct QueryPlan {
    /// One access to a table.
    struct Access: Hashable {
        let table: String
        /// Whether the access starts with one value of an index, such as a person. Otherwise it reads all rows, or all
        /// that are before or after a value.
        let isByValue: Bool
        /// The database's own description.
        let text: String
    }

    let accesses: [Access]

    /// Asks the database for its plan.
    init(_ statement: SQLText, _ connection: Connection) throws {
        if TestDatabase.isServer {
            try self.init(server: statement, connection)
        } else {
            try self.init(file: statement, connection)
        }
    }

    /// Source: SQLite, "EXPLAIN QUERY PLAN".
    private init(file statement: SQLText, _ connection: Connection) throws {
        let names = Self.names(in: statement.sql)
        let lines = try Self.rows(
            SQLText("EXPLAIN QUERY PLAN " + statement.sql, parameters: statement.parameters), column: 3, connection)
        accesses = lines.compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1, words[0] == "SCAN" || words[0] == "SEARCH", let table = names[words[1]] else {
                return nil
            }
            return Access(table: table, isByValue: words[0] == "SEARCH" && line.contains("=?"), text: line)
        }
    }

    /// The tables are small, so a scan could be the fastest way. It is made expensive, as well as the joins that read
    /// all of a table. The plan is the one for any values.
    ///
    /// Source: PostgreSQL, "EXPLAIN" and "Planner Method Configuration".
    private init(server statement: SQLText, _ connection: Connection) throws {
        for option in ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"] {
            _ = try Self.rows(SQLText("SET LOCAL \(option) = off"), column: nil, connection)
        }
        _ = try Self.rows(SQLText("SET LOCAL plan_cache_mode = force_generic_plan"), column: nil, connection)
        let types = statement.parameters.map { type in
            switch type {
            case .boolean: "boolean"
            case .integer: "bigint"
            case .real: "double precision"
            case .blob: "bytea"
            case .text, .null: "text"
            }
        }
        let (list, values) = (types.joined(separator: ", "), types.map { _ in "NULL" }.joined(separator: ", "))
        let isPlain = types.isEmpty
        let sql = SQLTranslation.translate(statement.sql).sql
        _ = try Self.rows(
            SQLText("PREPARE planned\(isPlain ? "" : " (\(list))") AS \(sql)"), column: nil, connection)
        let plan = try Self.rows(
            SQLText("EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE planned\(isPlain ? "" : "(\(values))")"), column: 0,
            connection)
        _ = try Self.rows(SQLText("DEALLOCATE planned"), column: nil, connection)
        var found: [Access] = []
        // Some plans are deeper than JSONValue reads.
        let nodes = try JSONSerialization.jsonObject(with: Data(plan.joined().utf8)) as? [[String: Any]]
        for node in nodes ?? [] { Self.collect(node["Plan"], below: nil, into: &found) }
        accesses = found
    }

    private static func collect(_ node: Any?, below parent: String?, into found: inout [Access]) {
        guard let node = node as? [String: Any], let type = node["Node Type"] as? String else { return }
        let table = node["Relation Name"] as? String ?? parent
        if type.hasSuffix("Scan"), type != "Bitmap Heap Scan", let table {
            let condition = node["Index Cond"] as? String ?? ""
            let index = node["Index Name"] as? String ?? ""
            found.append(
                Access(
                    table: table, isByValue: condition.contains(" = "),
                    text: "\(type) \(index) on \(table) \(condition)"))
        }
        for inner in node["Plans"] as? [Any] ?? [] {
            collect(inner, below: type == "Bitmap Heap Scan" || type.hasPrefix("Bitmap") ? table : nil, into: &found)
        }
    }

    private static func rows(_ text: SQLText, column: Int32?, _ connection: Connection) throws -> [String] {
        let prepared = try connection.begin(text)
        defer { prepared.reset() }
        for index in text.parameters.indices { try prepared.bindNull(Int32(index + 1)) }
        var rows: [String] = []
        while try prepared.step() {
            if let column { rows.append(prepared.text(column) ?? "") }
        }
        return rows
    }

    /// The tables of a statement by the names that it gives them.
    private static func names(in sql: String) -> [String: String] {
        let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        var names = Dictionary(uniqueKeysWithValues: DatabaseTables.all.map { ($0, $0) })
        for (word, next) in zip(words, words.dropFirst()) where DatabaseTables.all.contains(word) {
            if next == next.lowercased(), names[next] == nil { names[next] = word }
        }
        return names
    }
}
