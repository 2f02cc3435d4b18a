/// The cache of one connection's compiled statements.
///
/// A statement is looked up by the identity of its text, so that a `static let` statement is found without hashing its
/// SQL. A statement that is created for each call is looked up by its SQL. The cache is limited, so that SQL created at
/// run time cannot exhaust the memory.
struct StatementCache {
    private struct Entry {
        // Retained so that no other object can have its identity.
        let text: SQLText
        let prepared: PreparedStatement
    }

    private static let limit = 256
    private var byIdentity: [ObjectIdentifier: Entry] = [:]
    private var bySQL: [String: PreparedStatement] = [:]

    /// Returns the compiled form of `text`, and compiles it when it is not in the cache.
    mutating func prepared(_ text: SQLText, on handle: Handle) throws(DatabaseError) -> PreparedStatement {
        if let entry = byIdentity[ObjectIdentifier(text)] { return entry.prepared }
        let prepared = if let known = bySQL[text.sql] { known } else { try compile(text, on: handle) }
        guard prepared.parameterCount == text.parameters.count else {
            throw prepared.mismatch(given: text.parameters.count)
        }
        if byIdentity.count >= Self.limit { byIdentity.removeAll() }
        byIdentity[ObjectIdentifier(text)] = Entry(text: text, prepared: prepared)
        return prepared
    }

    private mutating func compile(_ text: SQLText, on handle: Handle) throws(DatabaseError) -> PreparedStatement {
        let prepared = try PreparedStatement(text.sql, on: handle)
        if bySQL.count >= Self.limit {
            // Both, because an entry in either keeps its compiled statement in memory.
            bySQL.removeAll()
            byIdentity.removeAll()
        }
        bySQL[text.sql] = prepared
        return prepared
    }
}
