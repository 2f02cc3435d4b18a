/// The compiled statements of one connection.
///
/// Found by the identity of the statement's text, so that a `static let` statement is found without hashing its SQL;
/// a statement made anew for each call is found by its SQL. Bounded: SQL made at run time cannot fill the memory.
struct StatementCache {
    private struct Entry {
        // Kept so that its identity cannot pass to another object.
        let text: SQLText
        let prepared: PreparedStatement
    }

    private static let limit = 256
    private var byIdentity: [ObjectIdentifier: Entry] = [:]
    private var bySQL: [String: PreparedStatement] = [:]

    /// The compiled form of `text`, compiled now if it is new.
    mutating func prepared(_ text: SQLText, on handle: Handle) throws(DatabaseError) -> PreparedStatement {
        if let entry = byIdentity[ObjectIdentifier(text)] { return entry.prepared }
        let prepared = if let known = bySQL[text.sql] { known } else { try compile(text, on: handle) }
        guard prepared.parameterCount == text.parameterCount else {
            throw prepared.mismatch(given: text.parameterCount)
        }
        if byIdentity.count >= Self.limit { byIdentity.removeAll() }
        byIdentity[ObjectIdentifier(text)] = Entry(text: text, prepared: prepared)
        return prepared
    }

    private mutating func compile(_ text: SQLText, on handle: Handle) throws(DatabaseError) -> PreparedStatement {
        let prepared = try PreparedStatement(text.sql, on: handle)
        if bySQL.count >= Self.limit {
            bySQL.removeAll()
            byIdentity.removeAll()
        }
        bySQL[text.sql] = prepared
        return prepared
    }
}
