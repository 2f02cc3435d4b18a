import Database

extension SQLRow {
    /// Returns a count, at least 0 and at most 2^53, so that arithmetic cannot overflow with a number that somebody
    /// changed in the database.
    ///
    /// - Throws: `DatabaseError` when the column is not a number.
    func count(_ column: Int) throws(DatabaseError) -> Int {
        min(max(0, try get(column) as Int), 1 << 53)
    }
}
