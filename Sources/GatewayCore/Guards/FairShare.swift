/// Deletes the rows beyond the capacity of a table that anybody may fill, so that each party keeps the same number.
///
/// The owner of a row is an ``AddressKey`` or the hash of a client's id. The first six and seven bytes of an IPv6 owner
/// are its /48 and /56 networks; those of an IPv4 owner are the address. Each /48 network keeps as many rows as each
/// other one, in it each /56 network does, and in that each owner. So a party that adds many rows displaces its own, the
/// oldest first, and the only row of a party is displaced only when there are more parties than the table may have rows.
///
/// Source: D. Bertsekas, R. Gallager, Data Networks, §6.5.2, max-min fairness; RFC 6177 §2 for the sizes of sites.
package enum FairShare {
    /// Returns the statement, which reads all rows of the condition, so it must not run for every row that is added.
    ///
    /// - Parameters:
    ///   - table: The table, with a column `expires_at` of rows that all live equally long.
    ///   - key: The column of its primary key.
    ///   - owner: The column of the owner.
    ///   - condition: Which rows are counted together.
    ///   - capacity: The parameter with the number of rows to keep.
    /// - Returns: The text of a `DELETE`.
    package static func deletion(
        from table: String, key: String, owner: String, where condition: String, keeping capacity: String
    ) -> String {
        /// Numbers the rows of each party, in the order of their numbers in its parts.
        func numbered(_ party: String, _ rows: String, by order: String) -> String {
            """
            SELECT \(key), \(owner), expires_at,
                row_number() OVER (PARTITION BY \(party) ORDER BY \(order)expires_at DESC, \(key)) AS place
            FROM \(rows)
            """
        }
        let owners = numbered(owner, "\(table) WHERE \(condition)", by: "")
        let sites = numbered("substr(\(owner), 1, 7)", "(\(owners)) AS owners", by: "place, ")
        let networks = numbered("substr(\(owner), 1, 6)", "(\(sites)) AS sites", by: "place, ")
        return """
            DELETE FROM \(table) WHERE \(key) IN (
                SELECT \(key) FROM (\(networks)) AS networks
                ORDER BY place, expires_at DESC, \(key) LIMIT 1000000000 OFFSET \(capacity))
            """
    }
}
