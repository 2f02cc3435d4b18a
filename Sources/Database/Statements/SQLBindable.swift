/// A value that can be bound to a `?` of a statement.
///
/// A conforming type calls one method of ``SQLSlot``. A raw-representable type only declares the conformance.
package protocol SQLBindable: Sendable {
    /// The type of the values. ``StorageClass/null`` when they have several types.
    static var storageClass: StorageClass { get }

    /// Binds the value to a parameter.
    func bind(to slot: SQLSlot) throws(DatabaseError)
}

/// One parameter of a statement that is about to run.
package struct SQLSlot {
    let statement: any DriverStatement
    let index: Int32

    /// Binds NULL.
    package func bindNull() throws(DatabaseError) { try statement.bindNull(index) }
    /// Binds a truth value. SQLite stores 1 or 0.
    package func bind(_ value: Bool) throws(DatabaseError) { try statement.bind(value, index) }
    /// Binds an integer.
    package func bind(_ value: Int64) throws(DatabaseError) { try statement.bind(value, index) }
    /// Binds a floating-point number. SQLite stores NaN as NULL.
    package func bind(_ value: Double) throws(DatabaseError) { try statement.bind(value, index) }
    /// Binds text, including any NUL characters in it.
    package func bind(_ value: String) throws(DatabaseError) { try statement.bind(text: value, index) }
    /// Binds bytes. The empty array is bound as an empty blob, not as NULL.
    package func bind(_ value: [UInt8]) throws(DatabaseError) { try statement.bind(blob: value, index) }
}

@available(*, unavailable)
extension SQLSlot: Sendable {}

extension SQLBindable where Self: RawRepresentable, RawValue: SQLBindable {
    /// The type of the raw values.
    package static var storageClass: StorageClass { RawValue.storageClass }

    /// Binds the raw value.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try rawValue.bind(to: slot) }
}
