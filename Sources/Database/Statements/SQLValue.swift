/// A value of any type, for tables whose columns are known only at run time.
package enum SQLValue: Hashable, Sendable, SQLBindable, SQLReadable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The values have several types.
    package static var storageClass: StorageClass { .null }

    /// Binds the value.
    package func bind(to slot: SQLSlot) throws(DatabaseError) {
        switch self {
        case .null: try slot.bindNull()
        case .boolean(let value): try slot.bind(value)
        case .integer(let value): try slot.bind(value)
        case .real(let value): try slot.bind(value)
        case .text(let value): try slot.bind(value)
        case .blob(let value): try slot.bind(value)
        }
    }

    /// Reads a value of any type.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> SQLValue {
        switch column.storageClass {
        case .null: .null
        case .boolean: .boolean(try column.integer() != 0)
        case .integer: .integer(try column.integer())
        case .real: .real(try column.real())
        case .text: .text(try column.text())
        case .blob: .blob(try column.blob())
        }
    }

    /// Returns the value as one of a column. SQLite has integers where PostgreSQL has truth values.
    package func converted(to storageClass: StorageClass) -> SQLValue {
        switch (self, storageClass) {
        case (.integer(let value), .boolean): .boolean(value != 0)
        case (.boolean(let value), .integer): .integer(value ? 1 : 0)
        default: self
        }
    }
}

/// A column of a table.
package struct TableColumn: Hashable, Sendable {
    /// The name of the column.
    package let name: String
    /// The type of its values.
    package let storageClass: StorageClass

    /// Creates a column.
    package init(_ name: String, _ storageClass: StorageClass) {
        self.name = name
        self.storageClass = storageClass
    }
}

/// The statement that inserts rows into a table. It is made once for many rows, so that each connection compiles it once.
package struct TableInsertion: Sendable {
    let text: SQLText
    let columns: [TableColumn]

    /// Creates the statement for the values of these columns.
    package init(into table: String, _ columns: [TableColumn]) {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        text = SQLText(
            "INSERT INTO \"\(table)\" (\(names)) VALUES (\(places))", parameters: columns.map(\.storageClass))
        self.columns = columns
    }
}

extension Connection {
    /// Returns the columns of a table in their order. Empty when there is no such table.
    package func columns(of table: String) throws(DatabaseError) -> [TableColumn] {
        try driver.columns(of: table)
    }

    /// Calls `body` with each row of a query, without holding all rows in memory.
    package func forEachRow(of query: String, _ body: ([SQLValue]) throws -> Void) throws {
        let text = try driver.cursor(of: query)
        var count = 0
        repeat {
            count = 0
            let prepared = try begin(text ?? SQLText(query))
            defer { prepared.reset() }
            while try prepared.step() {
                let row = SQLRow(statement: prepared)
                try body(try (0..<prepared.columnCount).map { try row.get($0) })
                count += 1
            }
        } while text != nil && count > 0
        if text != nil { try driver.closeCursor() }
    }

    /// Inserts rows into a table. All of them together need one round trip to a server.
    package func insert(_ rows: [[SQLValue]], with insertion: TableInsertion) throws(DatabaseError) {
        let columns = insertion.columns
        let prepared = try begin(insertion.text)
        defer { prepared.reset() }
        for row in rows {
            for (index, (value, column)) in zip(row, columns).enumerated() {
                try value.converted(to: column.storageClass).bind(
                    to: SQLSlot(statement: prepared, index: Int32(index + 1)))
            }
            if prepared.canQueue {
                try prepared.queue()
            } else {
                _ = try prepared.runToEnd()
                prepared.reset()
            }
        }
        if prepared.canQueue { for _ in rows { try prepared.takeQueued() } }
    }
}
