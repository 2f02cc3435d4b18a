import Database

extension Database {
    /// Calls a body, which writes them, with up to 500 rows at a time. When another program has locked one of the rows,
    /// only their batch is not written.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - write: Writes a batch in one transaction.
    /// - Throws: The first error of `write`. After ``DatabaseError/Code/locked`` the other batches are written before,
    ///   and after other errors they are not.
    func forEachBatch<Row>(of rows: [Row], _ write: ([Row]) async throws -> Void) async throws {
        var locked: DatabaseError?
        for start in stride(from: 0, to: rows.count, by: 500) {
            do {
                try await write(Array(rows[start..<min(start + 500, rows.count)]))
            } catch let error as DatabaseError where error.code == .locked {
                locked = locked ?? error
            }
        }
        if let locked { throw locked }
    }
}
