import Database

/// A statement of one connection. The first step sends it with its values and receives all rows.
final class PostgreSQLStatement: DriverStatement {
    let sql: String
    /// The SQL as the server gets it.
    let translated: String
    /// The name under which the server keeps it.
    let name: String
    /// The types of the parameters. 0 leaves the type to the server.
    let types: [UInt32]
    /// Whether the server knows the name.
    var isPrepared = false
    /// The bound values; nil for NULL.
    private(set) var values: [[UInt8]?]
    private unowned let connection: PostgreSQLConnection
    private var result: ServerResult?
    private var row: Int32 = -1
    /// The number of queued executions, and then their results.
    private var queuedCount = 0
    private var queuedResults: ArraySlice<ServerResult> = []

    init(_ text: SQLText, name: String, on connection: PostgreSQLConnection) throws(DatabaseError) {
        let (translated, count) = SQLTranslation.translate(text.sql)
        guard count == text.parameters.count else {
            throw DatabaseError(
                .misuse,
                "Could not prepare a statement for \(connection.subject): it has \(count) parameters, but is declared "
                    + "with \(text.parameters.count); this is a bug in the program: \(text.sql)")
        }
        sql = text.sql
        self.translated = translated
        self.name = name
        self.connection = connection
        types = text.parameters.map { storage in
            switch storage {
            case .boolean: ServerResult.TypeID.bool
            case .integer: ServerResult.TypeID.int8
            case .real: ServerResult.TypeID.float8
            case .text: ServerResult.TypeID.text
            case .blob: ServerResult.TypeID.bytes
            case .null: 0
            }
        }
        values = Array(repeating: nil, count: count)
    }

    var columnCount: Int { result?.columnCount ?? 0 }

    func step() throws(DatabaseError) -> Bool {
        if result == nil { result = try connection.execute(self) }
        row += 1
        return row < (result?.rowCount ?? 0)
    }

    /// Does nothing, because the server has completed the statement.
    func completeChanges() {}

    func runToEnd() throws(DatabaseError) -> Int {
        if result == nil { result = try connection.execute(self) }
        return result?.changedRows ?? 0
    }

    var canQueue: Bool { true }

    func queue() throws(DatabaseError) {
        try connection.queue(self)
        queuedCount += 1
    }

    func takeQueued() throws(DatabaseError) {
        if queuedResults.isEmpty {
            queuedResults = try connection.receive()[...]
            guard queuedResults.count == queuedCount else {
                throw DatabaseError(
                    .misuse,
                    "Could not run a statement \(queuedCount) times: there are \(queuedResults.count) results; this is a "
                        + "bug in the program: \(sql)")
            }
            queuedCount = 0
        }
        result = queuedResults.popFirst()
        row = -1
    }

    func reset() {
        result = nil
        queuedResults = []
        queuedCount = 0
        row = -1
        for index in values.indices { values[index] = nil }
    }

    // MARK: - Parameters, counted from 1

    func bindNull(_ index: Int32) throws(DatabaseError) { try set(nil, index) }

    func bind(_ value: Bool, _ index: Int32) throws(DatabaseError) { try set([value ? 1 : 0], index) }

    func bind(_ value: Int64, _ index: Int32) throws(DatabaseError) {
        try set(withUnsafeBytes(of: value.bigEndian) { Array($0) }, index)
    }

    func bind(_ value: Double, _ index: Int32) throws(DatabaseError) {
        try set(withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }, index)
    }

    /// Binds text. PostgreSQL cannot store NUL characters, so each is replaced by U+FFFD.
    func bind(text: String, _ index: Int32) throws(DatabaseError) {
        let bytes = Array(text.utf8)
        guard bytes.contains(0) else { return try set(bytes, index) }
        try set(
            Array(bytes.split(separator: 0, omittingEmptySubsequences: false).joined(separator: "\u{FFFD}".utf8)), index
        )
    }

    func bind(blob: [UInt8], _ index: Int32) throws(DatabaseError) { try set(blob, index) }

    private func set(_ value: [UInt8]?, _ index: Int32) throws(DatabaseError) {
        guard values.indices.contains(Int(index) - 1) else {
            throw DatabaseError(
                .misuse,
                "Could not bind parameter \(index): the statement has \(values.count); this is a bug in the program: "
                    + sql)
        }
        values[Int(index) - 1] = value
    }

    // MARK: - Columns of the current row, counted from 0

    func storageClass(_ column: Int32) -> StorageClass {
        guard let result, !result.isNull(row, column) else { return .null }
        switch result.type(column) {
        case ServerResult.TypeID.bool: return .boolean
        case ServerResult.TypeID.int2, ServerResult.TypeID.int4, ServerResult.TypeID.int8: return .integer
        case ServerResult.TypeID.float8: return .real
        case ServerResult.TypeID.bytes: return .blob
        default: return .text
        }
    }

    func columnName(_ column: Int32) -> String { result?.columnName(column) ?? "?" }

    /// Returns an integer of 1, 2, 4 or 8 bytes.
    func int64(_ column: Int32) -> Int64 {
        guard let bytes = result?.bytes(row, column), let first = bytes.first else { return 0 }
        // A bool of one byte is 0 or 1, so its sign bit is not set.
        let sign: Int64 = first & 0x80 == 0 ? 0 : -1
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }

    func double(_ column: Int32) -> Double {
        guard let result, result.type(column) == ServerResult.TypeID.float8 else { return Double(int64(column)) }
        return Double(bitPattern: UInt64(bitPattern: int64(column)))
    }

    func text(_ column: Int32) -> String? {
        result.flatMap { String(validating: $0.bytes(row, column), as: UTF8.self) }
    }

    func blob(_ column: Int32) -> [UInt8] { result.map { [UInt8]($0.bytes(row, column)) } ?? [] }
}
