/// A statement that a connection has compiled. Parameters are counted from 1 and columns from 0.
package protocol DriverStatement: AnyObject {
    /// The SQL as its author wrote it.
    var sql: String { get }
    /// The number of columns of each row.
    var columnCount: Int { get }

    /// Advances to the next row. Returns false when there are no more rows.
    func step() throws(DatabaseError) -> Bool
    /// Runs the rest of a statement that changes something. Does nothing for one that only reads.
    func completeChanges() throws(DatabaseError)
    /// Runs the statement to its end. Returns the number of rows that it inserted, updated or deleted itself.
    func runToEnd() throws(DatabaseError) -> Int
    /// Whether executions can be queued and sent to the database together.
    var canQueue: Bool { get }
    /// Queues an execution with the bound values, whose rows ``takeQueued()`` makes available. Called only when
    /// ``canQueue`` is true.
    func queue() throws(DatabaseError)
    /// Makes the rows of the next queued execution available to ``step()``. The first call sends all of them.
    func takeQueued() throws(DatabaseError)
    /// Prepares the statement for its next use, and forgets the bound values.
    func reset()

    /// Binds NULL.
    func bindNull(_ index: Int32) throws(DatabaseError)
    /// Binds a truth value.
    func bind(_ value: Bool, _ index: Int32) throws(DatabaseError)
    /// Binds an integer.
    func bind(_ value: Int64, _ index: Int32) throws(DatabaseError)
    /// Binds a floating-point number.
    func bind(_ value: Double, _ index: Int32) throws(DatabaseError)
    /// Binds text.
    func bind(text: String, _ index: Int32) throws(DatabaseError)
    /// Binds bytes.
    func bind(blob: [UInt8], _ index: Int32) throws(DatabaseError)

    /// Returns the type of a column's value.
    func storageClass(_ column: Int32) -> StorageClass
    /// Returns the name of a column.
    func columnName(_ column: Int32) -> String
    /// Returns the integer in a column.
    func int64(_ column: Int32) -> Int64
    /// Returns the number in a column.
    func double(_ column: Int32) -> Double
    /// Returns the text in a column, or nil when it is not UTF-8.
    func text(_ column: Int32) -> String?
    /// Returns the bytes in a column.
    func blob(_ column: Int32) -> [UInt8]
}

/// The type of a value in a database.
package enum StorageClass: String, Sendable {
    case boolean, integer, real, text, blob
    case null = "NULL"

    /// Returns the type of the values of a column, from the type in its declaration. Every other type is text.
    package init(ofColumn declaration: String?) {
        switch declaration {
        case "boolean": self = .boolean
        case "INTEGER", "bigint": self = .integer
        case "REAL", "double precision": self = .real
        case "BLOB", "bytea": self = .blob
        default: self = .text
        }
    }
}
