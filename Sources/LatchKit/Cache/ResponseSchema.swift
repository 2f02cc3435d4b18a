import Database
import FoundationEssentials
import HTTPClient
import HTTPMessages

/// The schema of the response cache, `$XDG_CACHE_HOME/latchstring/responses.db`.
enum ResponseSchema {
    /// The application id in the file's header: "LaRe" in ASCII.
    static let applicationID: Int32 = 0x4C61_5265

    static let migrations = [
        Migration(
            to: 1, named: "responses",
            """
            CREATE TABLE responses (
                id INTEGER PRIMARY KEY,
                account TEXT NOT NULL,
                address TEXT NOT NULL,
                variant TEXT NOT NULL,
                varies TEXT NOT NULL,
                fields TEXT NOT NULL,
                body BLOB NOT NULL,
                stored_at INTEGER NOT NULL,
                fresh_until INTEGER NOT NULL,
                used_at INTEGER NOT NULL,
                size INTEGER NOT NULL,
                UNIQUE (account, address, variant)
            ) STRICT;
            CREATE INDEX responses_used ON responses (used_at, size);
            CREATE TABLE purges (count INTEGER NOT NULL) STRICT;
            INSERT INTO purges VALUES (0);
            """)
    ]
}

extension ResponseCache {
    static let select = Statement(
        "SELECT varies, variant, fields, body, stored_at, fresh_until FROM responses WHERE account = ? AND address = ?",
        UUID.self, String.self
    ) { row throws(DatabaseError) in
        let varies: String = try row.get(0)
        let text: String = try row.get(2)
        let fields = (try? JSON.decode([[String]].self, from: Array(text.utf8))) ?? []
        let headers = HTTPHeaders(
            fields.compactMap { $0.count == 2 ? HTTPHeaders.Field(name: $0[0], value: $0[1]) : nil })
        return StoredResponse(
            varies: varies.split(separator: ",").map(String.init), variant: try row.get(1),
            response: ClientResponse(status: .ok, headers: headers, body: try row.get(3)), date: try row.get(4),
            freshUntil: try row.get(5))
    }

    static let touch = Statement(
        "UPDATE responses SET used_at = ? WHERE account = ? AND address = ? AND variant = ?", Date.self, UUID.self,
        String.self, String.self)

    static let remove = Statement(
        "DELETE FROM responses WHERE account = ? AND address = ? AND variant = ?", UUID.self, String.self, String.self)

    static let insert = Statement(
        """
        INSERT INTO responses (account, address, variant, varies, fields, body, stored_at, fresh_until, used_at, size) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, UUID.self, String.self, String.self, String.self, String.self, [UInt8].self, Date.self, Date.self,
        Date.self, Int.self)

    static let total = Statement("SELECT coalesce(sum(size), 0) FROM responses") { row throws(DatabaseError) in
        try row.get(0) as Int
    }

    static let oldest = Statement("SELECT id, size FROM responses ORDER BY used_at LIMIT 1") {
        row throws(DatabaseError) in (id: try row.get(0) as Int, size: try row.get(1) as Int)
    }

    static let removeRow = Statement("DELETE FROM responses WHERE id = ?", Int.self)

    static let selectPurges = Statement("SELECT count FROM purges") { row throws(DatabaseError) in
        try row.get(0) as Int
    }
    static let countPurge = Statement("UPDATE purges SET count = count + 1")
    static let purgeOne = Statement("DELETE FROM responses WHERE account = ?", UUID.self)
    static let purgeAll = Statement("DELETE FROM responses")
}
