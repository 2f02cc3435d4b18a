/// The current row of a statement. It is passed to the statement's `row` closure and valid only there.
package struct SQLRow {
    let statement: any DriverStatement

    /// Returns the value of a column, counted from 0.
    ///
    /// - Throws: ``DatabaseError/Code/unexpectedValue`` for another type or NULL, naming the column and the statement;
    ///   ``DatabaseError/Code/misuse`` for a column that the statement does not have.
    package func get<Value: SQLReadable>(_ column: Int) throws(DatabaseError) -> Value {
        guard column >= 0, column < statement.columnCount else {
            throw DatabaseError(
                .misuse,
                "Could not read column \(column): the statement has \(statement.columnCount) columns; "
                    + "this is a bug in the program: \(statement.sql)")
        }
        return try Value.read(from: SQLColumn(statement: statement, index: Int32(column)))
    }
}

@available(*, unavailable)
extension SQLRow: Sendable {}
