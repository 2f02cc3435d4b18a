import Foundation

extension PersonFolders {
    /// Adds a number of files to the queue, as copies of the first one with names such as `IMG_1.jpg`.
    ///
    /// - Parameters:
    ///   - count: The number of files.
    ///   - states: The states, which alternate from file to file.
    /// - Throws: ``DriverError`` when the database cannot be changed.
    package func addDownloads(_ count: Int, _ states: [String]) async throws {
        let cases = states.enumerated().map { "WHEN \($0) THEN '\($1)'" }.joined(separator: " ")
        let columns = "id, account, host, grp, url, headers, filename, wants_progress, metadata, state, reason"
        try await sql(
            """
            INSERT INTO downloads (\(columns))
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            SELECT 'copy-' || i, account, host, grp, url, headers, 'IMG_' || i || '.jpg', 1, metadata, s,
                CASE s WHEN 'failed' THEN 'The server <b>refused</b> &amp; closed.' END
            FROM (SELECT *, CASE i % \(states.count) \(cases) END AS s FROM n,
                (SELECT account, host, grp, url, headers, metadata FROM downloads ORDER BY position LIMIT 1));
            """)
    }

    /// Runs statements on a database, and returns the rows.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - file: The path of the database in the folders. Default: that of the accounts.
    /// - Returns: The rows.
    /// - Throws: ``DriverError`` when a statement fails.
    @discardableResult
    package func sql(
        _ statements: String, in file: String = "data/latchstring/latchstring.db"
    ) async throws -> String {
        let program = try ChildProgram(
            "/usr/bin/sqlite3", ["-cmd", ".timeout 10000", root.path + "/" + file, statements],
            folder: root)
        let output = await program.allOutput()
        guard await program.exitCode() == 0 else { throw DriverError("sqlite3: \(program.errors)") }
        return output
    }
}
