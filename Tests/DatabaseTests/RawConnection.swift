import CSQLite
import Testing

/// Another program on the same file: a connection that knows nothing of the module under test.
///
/// Unchecked: SQLite's own mutex guards it (`SQLITE_OPEN_FULLMUTEX`).
final class RawConnection: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        try #require(sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK)
        pointer = try #require(opened)
        sqlite3_busy_timeout(pointer, 10_000)
    }

    deinit {
        sqlite3_close(pointer)
    }

    func run(_ sql: String) throws {
        let result = sqlite3_exec(pointer, sql, nil, nil, nil)
        try #require(result == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(pointer)))")
    }

    func number(_ sql: String) throws -> Int {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return Int(sqlite3_column_int64(statement, 0))
    }
}
