public import FoundationEssentials

extension Int64: SQLBindable, SQLReadable {
    /// The values are of type `integer`.
    package static var storageClass: StorageClass { .integer }
    /// Binds an integer.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(self) }
    /// Reads an integer.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Int64 { try column.integer() }
}

extension Int: SQLBindable, SQLReadable {
    /// The values are of type `integer`.
    package static var storageClass: StorageClass { .integer }
    /// Binds an integer.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(Int64(self)) }
    /// Reads an integer.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Int {
        guard let value = Int(exactly: try column.integer()) else { throw column.unexpected("a smaller integer") }
        return value
    }
}

extension Int32: SQLBindable, SQLReadable {
    /// The values are of type `integer`.
    package static var storageClass: StorageClass { .integer }
    /// Binds an integer.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(Int64(self)) }
    /// Reads an integer that fits in 32 bits.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Int32 {
        guard let value = Int32(exactly: try column.integer()) else { throw column.unexpected("a smaller integer") }
        return value
    }
}

extension Bool: SQLBindable, SQLReadable {
    /// The values are of type `boolean`, which SQLite stores as an integer.
    package static var storageClass: StorageClass { .boolean }
    /// Binds a truth value.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(self) }
    /// Reads a truth value, or 1 or 0. Throws for every other integer.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Bool {
        switch try column.integer() {
        case 0: false
        case 1: true
        default: throw column.unexpected("0 or 1")
        }
    }
}

extension Double: SQLBindable, SQLReadable {
    /// The values are of type `real`.
    package static var storageClass: StorageClass { .real }
    /// Binds a floating-point number. SQLite stores NaN as NULL.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(self) }
    /// Reads a number as a floating-point number.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Double { try column.real() }
}

extension String: SQLBindable, SQLReadable {
    /// The values are of type `text`.
    package static var storageClass: StorageClass { .text }
    /// Binds text.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(self) }
    /// Reads text.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> String { try column.text() }
}

extension [UInt8]: SQLBindable, SQLReadable {
    /// The values are of type `blob`.
    package static var storageClass: StorageClass { .blob }
    /// Binds a blob.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(self) }
    /// Reads a blob.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> [UInt8] { try column.blob() }
}

extension Date: SQLBindable, SQLReadable {
    /// The values are of type `integer`.
    package static var storageClass: StorageClass { .integer }
    /// Binds the date as whole milliseconds since 1970, rounded to the nearest.
    ///
    /// Throws ``DatabaseError/Code/misuse`` for a date whose milliseconds do not fit in 64 bits.
    package func bind(to slot: SQLSlot) throws(DatabaseError) {
        guard let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) else {
            throw DatabaseError(.misuse, "Could not bind a date: it is too far away to store in milliseconds.")
        }
        try slot.bind(milliseconds)
    }

    /// Reads milliseconds since 1970.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Date {
        Date(timeIntervalSince1970: Double(try column.integer()) / 1000)
    }
}

extension UUID: SQLBindable, SQLReadable {
    /// The values are of type `text`.
    package static var storageClass: StorageClass { .text }
    /// Binds the UUID as lower-case text.
    package func bind(to slot: SQLSlot) throws(DatabaseError) { try slot.bind(text) }
    /// Reads a UUID from text in upper or lower case.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> UUID {
        guard let value = UUID(text: try column.text()) else { throw column.unexpected("a UUID") }
        return value
    }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    /// The type of the wrapped values.
    package static var storageClass: StorageClass { Wrapped.storageClass }
    /// Binds the value, or NULL for nil.
    package func bind(to slot: SQLSlot) throws(DatabaseError) {
        if let self { try self.bind(to: slot) } else { try slot.bindNull() }
    }
}

extension Optional: SQLReadable where Wrapped: SQLReadable {
    /// Reads the value, or nil for NULL.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> Wrapped? {
        if column.isNull { nil } else { try Wrapped.read(from: column) }
    }
}
