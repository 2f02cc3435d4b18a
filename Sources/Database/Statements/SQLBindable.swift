/// A value that can stand for a `?` of a statement.
///
/// Conforming to it is writing one call of ``SQLSlot``; a raw-representable type conforms by naming the protocol.
public protocol SQLBindable: Sendable {
    /// Puts the value into its place.
    func bind(to slot: SQLSlot) throws(DatabaseError)
}

/// The place of one parameter in a statement about to run.
public struct SQLSlot {
    let statement: PreparedStatement
    let index: Int32

    /// Binds NULL.
    public func bindNull() throws(DatabaseError) { try statement.bindNull(index) }
    /// Binds an integer.
    public func bind(_ value: Int64) throws(DatabaseError) { try statement.bind(value, index) }
    /// Binds a floating-point number; SQLite keeps NaN as NULL.
    public func bind(_ value: Double) throws(DatabaseError) { try statement.bind(value, index) }
    /// Binds text; a NUL inside is kept.
    public func bind(_ value: String) throws(DatabaseError) { try statement.bind(text: value, index) }
    /// Binds bytes; the empty array is the empty blob, not NULL.
    public func bind(_ value: [UInt8]) throws(DatabaseError) { try statement.bind(blob: value, index) }
}

@available(*, unavailable)
extension SQLSlot: Sendable {}

extension SQLBindable where Self: RawRepresentable, RawValue: SQLBindable {
    /// Binds the raw value.
    public func bind(to slot: SQLSlot) throws(DatabaseError) { try rawValue.bind(to: slot) }
}
