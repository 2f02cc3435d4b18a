/// An SQL statement with the types of its parameters and of its rows.
///
/// Create each statement once and keep it (`static let`). Each connection then compiles it once and finds it again
/// without hashing. The number of `?` in the SQL must equal the number of parameter types. Otherwise the first use
/// throws ``DatabaseError/Code/misuse``.
/// ```swift
/// static let nameByID = Statement("SELECT name FROM people WHERE id = ?", Int.self) { row throws(DatabaseError) in
///     try row.get(0) as String
/// }
/// ```
///
/// Source: SQLite, "SQL As Understood By SQLite"; `sqlite3_bind_blob`.
package struct Statement<Row, each Parameter: SQLBindable>: Sendable {
    let text: SQLText
    let row: @Sendable (SQLRow) throws(DatabaseError) -> Row

    /// Creates a statement whose rows are read by `row`.
    ///
    /// - Parameters:
    ///   - sql: One statement, with a `?` for each value.
    ///   - parameters: The types of the values, in the order of the `?`.
    ///   - row: Returns the value of one row. The `SQLRow` must not outlive the call.
    package init(
        _ sql: String, _ parameters: repeat (each Parameter).Type,
        row: @escaping @Sendable (SQLRow) throws(DatabaseError) -> Row
    ) {
        var classes: [StorageClass] = []
        for parameter in repeat each parameters { classes.append(parameter.storageClass) }
        text = SQLText(sql, parameters: classes)
        self.row = row
    }
}

extension Statement where Row == Void {
    /// Creates a statement that returns no rows.
    ///
    /// - Parameters:
    ///   - sql: One statement, with a `?` for each value.
    ///   - parameters: The types of the values, in the order of the `?`.
    package init(_ sql: String, _ parameters: repeat (each Parameter).Type) {
        self.init(sql, repeat each parameters) { (_: SQLRow) throws(DatabaseError) in }
    }
}

/// A statement's SQL as an object, so that it can be looked up by its identity.
package final class SQLText: Sendable {
    /// One statement, with a `?` for each value.
    package let sql: String
    /// The types of the values, in the order of the `?`.
    package let parameters: [StorageClass]

    /// Creates the text of a statement.
    package init(_ sql: String, parameters: [StorageClass] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
