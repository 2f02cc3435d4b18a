/// A value that can be read from a column.
///
/// A conforming type calls one method of ``SQLColumn``. A raw-representable type only declares the conformance.
package protocol SQLReadable {
    /// Reads the value. Throws ``DatabaseError/Code/unexpectedValue`` when the column holds another type.
    static func read(from column: SQLColumn) throws(DatabaseError) -> Self
}

/// One column of the current row of a statement.
///
/// The only conversion is from an integer to a floating-point number.
package struct SQLColumn {
    let statement: any DriverStatement
    let index: Int32

    /// The type of the value.
    package var storageClass: StorageClass { statement.storageClass(index) }
    /// Whether the column is NULL.
    package var isNull: Bool { statement.storageClass(index) == .null }

    /// Returns the integer in the column.
    package func integer() throws(DatabaseError) -> Int64 {
        guard [.integer, .boolean].contains(statement.storageClass(index)) else { throw unexpected("an integer") }
        return statement.int64(index)
    }

    /// Returns the number in the column as a floating-point number.
    package func real() throws(DatabaseError) -> Double {
        let storage = statement.storageClass(index)
        guard storage == .real || storage == .integer else { throw unexpected("a number") }
        return statement.double(index)
    }

    /// Returns the text in the column.
    package func text() throws(DatabaseError) -> String {
        guard statement.storageClass(index) == .text else { throw unexpected("text") }
        guard let text = statement.text(index) else { throw unexpected("UTF-8 text") }
        return text
    }

    /// Returns the bytes in the column.
    package func blob() throws(DatabaseError) -> [UInt8] {
        guard statement.storageClass(index) == .blob else { throw unexpected("a blob") }
        return statement.blob(index)
    }

    /// Returns an error that tells what was expected. It names the column and the statement but never the value.
    package func unexpected(_ expected: String) -> DatabaseError {
        DatabaseError(
            .unexpectedValue,
            "Could not read column \(index) '\(statement.columnName(index))' as \(expected): "
                + "its value of type \(statement.storageClass(index).rawValue) does not fit, in: \(statement.sql)")
    }
}

@available(*, unavailable)
extension SQLColumn: Sendable {}

extension SQLReadable where Self: RawRepresentable, RawValue: SQLReadable {
    /// Reads the raw value. Throws ``DatabaseError/Code/unexpectedValue`` for a raw value that the type does not have.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Self {
        guard let value = Self(rawValue: try RawValue.read(from: column)) else {
            throw column.unexpected("\(Self.self)")
        }
        return value
    }
}
