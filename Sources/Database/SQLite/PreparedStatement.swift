internal import CSQLite

/// One compiled statement of one connection, finalized when it is deallocated.
///
/// Source: `sqlite3_prepare_v3`, `sqlite3_step`, `sqlite3_reset`.
final class PreparedStatement: DriverStatement {
    private let pointer: OpaquePointer
    private let handle: Handle
    let sql: String

    init(_ sql: String, on handle: Handle) throws(DatabaseError) {
        var compiled: OpaquePointer?
        var rest: Bool = false
        let result = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            // A cached statement lives long and must not use up the lookaside memory. See sqlite3_prepare_v3.
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let result = sqlite3_prepare_v3(handle.pointer, text, -1, flags, &compiled, &tail)
            rest = tail.map { !String(cString: $0).allSatisfy(\.isWhitespace) } ?? false
            return result
        }
        guard result == SQLITE_OK else {
            let failure = handle.failure(result, .prepare)
            throw DatabaseError(failure.code, "\(failure.message.dropLast()): \(sql)", cause: failure.cause)
        }
        guard let compiled else {
            throw Self.misuse("it contains no SQL", in: sql, on: handle)
        }
        pointer = compiled
        self.handle = handle
        self.sql = sql
        // Thrown only after all properties are set, so that deinit finalizes the statement.
        if rest { throw Self.misuse("it contains more than one statement", in: sql, on: handle) }
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    private static func misuse(_ reason: String, in sql: String, on handle: Handle) -> DatabaseError {
        DatabaseError(
            .misuse,
            "Could not prepare a statement for \(handle.subject): \(reason); this is a bug in the program: \(sql)")
    }

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }
    private var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }
    var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    func mismatch(given: Int) -> DatabaseError {
        Self.misuse("it has \(parameterCount) parameters, but is declared with \(given)", in: sql, on: handle)
    }

    /// Advances to the next row. Returns false when there are no more rows.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw handle.failure(result, isReadOnly ? .read : .write)
        }
    }

    func completeChanges() throws(DatabaseError) {
        guard !isReadOnly else { return }
        while try step() {}
    }

    func runToEnd() throws(DatabaseError) -> Int {
        let before = handle.totalChanges
        while try step() {}
        // sqlite3_changes64 keeps its value across statements that change no rows.
        return handle.totalChanges == before ? 0 : Int(handle.changes)
    }

    /// False, because no round trip can be saved.
    var canQueue: Bool { false }
    func queue() {}
    func takeQueued() {}

    /// Resets the statement for its next use and clears the bound values.
    func reset() {
        // Only repeats an error that was already thrown, because `Connection` steps every writing statement to its end.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    // MARK: - Parameters, counted from 1

    func bindNull(_ index: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_null(pointer, index))
    }

    func bind(_ value: Bool, _ index: Int32) throws(DatabaseError) { try bind(value ? 1 as Int64 : 0, index) }

    func bind(_ value: Int64, _ index: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_int64(pointer, index, value))
    }

    func bind(_ value: Double, _ index: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_double(pointer, index, value))
    }

    func bind(text: String, _ index: Int32) throws(DatabaseError) {
        var text = text
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return latch_sqlite3_bind_text(pointer, index, "", 0)
                }
                return latch_sqlite3_bind_text(pointer, index, start, UInt64(characters.count))
            }
        }
        try check(result)
    }

    func bind(blob: [UInt8], _ index: Int32) throws(DatabaseError) {
        let result = blob.withUnsafeBytes { bytes in
            // A null pointer would bind NULL, not the empty blob.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : latch_sqlite3_bind_blob(pointer, index, bytes.baseAddress, UInt64(bytes.count))
        }
        try check(result)
    }

    private func check(_ result: Int32) throws(DatabaseError) {
        guard result == SQLITE_OK else { throw handle.failure(result, .prepare) }
    }

    // MARK: - Columns of the current row, counted from 0

    func storageClass(_ column: Int32) -> StorageClass {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func columnName(_ column: Int32) -> String {
        sqlite3_column_name(pointer, column).map { String(cString: $0) } ?? "?"
    }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    /// Returns the text of a column, or nil when it is not UTF-8.
    func text(_ column: Int32) -> String? {
        // The size is read after the text, as SQLite recommends, because reading the text may convert the value.
        guard let start = sqlite3_column_text(pointer, column) else { return "" }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(pointer, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }
}
