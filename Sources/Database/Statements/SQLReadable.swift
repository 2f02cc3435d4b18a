/// A value that can be read from a column.
///
/// Conforming to it is writing one call of ``SQLColumn``; a raw-representable type conforms by naming the protocol.
public protocol SQLReadable {
    /// Reads the value; another type than expected throws ``DatabaseError/Code/unexpectedValue``.
    static func read(from column: SQLColumn) throws(DatabaseError) -> Self
}

/// One column of the row that a statement stands on.
///
/// Nothing is converted except an integer read as a floating-point number.
public struct SQLColumn {
    let statement: PreparedStatement
    let index: Int32

    /// Whether the column is NULL.
    public var isNull: Bool { statement.storageClass(index) == .null }

    /// The integer in it.
    public func integer() throws(DatabaseError) -> Int64 {
        guard statement.storageClass(index) == .integer else { throw unexpected("an integer") }
        return statement.int64(index)
    }

    /// The number in it, as floating point.
    public func real() throws(DatabaseError) -> Double {
        let storage = statement.storageClass(index)
        guard storage == .real || storage == .integer else { throw unexpected("a number") }
        return statement.double(index)
    }

    /// The text in it.
    public func text() throws(DatabaseError) -> String {
        guard statement.storageClass(index) == .text else { throw unexpected("text") }
        guard let text = statement.text(index) else { throw unexpected("UTF-8 text") }
        return text
    }

    /// The bytes in it.
    public func blob() throws(DatabaseError) -> [UInt8] {
        guard statement.storageClass(index) == .blob else { throw unexpected("a blob") }
        return statement.blob(index)
    }

    /// The error that says what was expected here; it names column and statement and never the value.
    public func unexpected(_ expected: String) -> DatabaseError {
        DatabaseError(
            .unexpectedValue,
            "Could not read column \(index) '\(statement.columnName(index))' as \(expected): "
                + "it holds \(statement.storageClass(index).rawValue) that does not fit, in: \(statement.sql)")
    }
}

@available(*, unavailable)
extension SQLColumn: Sendable {}

extension SQLReadable where Self: RawRepresentable, RawValue: SQLReadable {
    /// Reads the raw value; one that the type does not know throws ``DatabaseError/Code/unexpectedValue``.
    public static func read(from column: SQLColumn) throws(DatabaseError) -> Self {
        guard let value = Self(rawValue: try RawValue.read(from: column)) else {
            throw column.unexpected("\(Self.self)")
        }
        return value
    }
}
