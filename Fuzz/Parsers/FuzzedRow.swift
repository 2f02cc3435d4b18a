import Synchronization

@testable import Database

/// A row of twenty columns of any storage class, read by the statements of the product.
///
/// A line a column: `i`, `r`, `t` or `b` and then the integer, the number, the text or the bytes of a blob; anything
/// else is NULL. What comes after `t` need not be UTF-8.
struct FuzzedRow: Sendable {
    private let values: [Value]

    init(_ input: [UInt8]) {
        let lines = input.lines(20)
        values = (0..<20).map { $0 < lines.count ? Value(lines[$0]) : .null }
    }

    /// The row as `read` takes it, or nil where it is refused; anything thrown but ``DatabaseError`` breaks the promise.
    func read<Row: Sendable>(
        _ read: @escaping @Sendable (SQLRow) throws(DatabaseError) -> Row
    ) async throws -> Row? {
        // A blob that begins with T is read as text of these very bytes, which no binding can make.
        let columns = (1...20).map {
            "CASE hex(substr(?\($0), 1, 1)) || typeof(?\($0)) "
                + "WHEN '54blob' THEN CAST(substr(?\($0), 2) AS TEXT) ELSE ?\($0) END"
        }
        let v = Value.self
        let statement = Statement(
            "SELECT " + columns.joined(separator: ", "), v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v,
            row: read)
        let values = values
        do {
            return try await FuzzedDatabase.shared.database().read { connection in
                try connection.first(
                    statement, values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                    values[8], values[9], values[10], values[11], values[12], values[13], values[14], values[15],
                    values[16], values[17], values[18], values[19])
            }
        } catch let error as DatabaseError {
            try require(
                error.code == .unexpectedValue, "A row was refused as \(error.code): \(error.message)")
            return nil
        }
    }

    private enum Value: SQLBindable {
        static let storageClass = StorageClass.null

        case null
        case integer(Int64)
        case real(Double)
        case blob([UInt8])

        init(_ line: [UInt8]) {
            let rest = Array(line.dropFirst())
            switch line.first {
            case UInt8(ascii: "i"): self = Int64(rest.text).map(Value.integer) ?? .null
            case UInt8(ascii: "r"): self = Double(rest.text).map(Value.real) ?? .null
            case UInt8(ascii: "t"): self = .blob([UInt8(ascii: "T")] + rest)
            case UInt8(ascii: "b"): self = .blob(rest)
            default: self = .null
            }
        }

        func bind(to slot: SQLSlot) throws(DatabaseError) {
            switch self {
            case .null: try slot.bindNull()
            case .integer(let value): try slot.bind(value)
            case .real(let value): try slot.bind(value)
            case .blob(let value): try slot.bind(value)
            }
        }
    }
}

private actor FuzzedDatabase {
    static let shared = FuzzedDatabase()
    private var opened: Database?

    func database() async throws -> Database {
        if let opened { return opened }
        let made = try await Database.open(.inMemory(applicationID: 1), migrations: [])
        opened = made
        return made
    }
}
