import Database
package import FoundationEssentials
import HTTPMessages
package import LatchKit

/// A library whose new pictures are downloaded as they appear.
package struct FollowedLibrary: Sendable, Hashable, Codable {
    /// The id of the account.
    package let account: UUID
    /// Which pictures are downloaded.
    package let selection: DownloadSelection
    /// Where they are saved.
    package let location: LibraryLocation

    /// Creates a library.
    package init(account: UUID, selection: DownloadSelection, location: LibraryLocation) {
        self.account = account
        self.selection = selection
        self.location = location
    }
}

/// The libraries that are followed in the background, stored in the accounts database. The library of an account that is
/// removed is removed with it.
///
/// Source: IM-6, IM-11.
package struct FollowedLibraries: Sendable {
    private let database: DownloadDatabase
    private let accounts: AccountStore

    /// Creates the list of a client.
    package init(_ latch: LatchClient) {
        database = DownloadDatabase(latch)
        accounts = latch.accounts
    }

    /// Returns all libraries, sorted by the id of the account.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    package func all() async throws -> [FollowedLibrary] {
        try await LatchError.converting { try await database.read { try $0.all(Self.selectAll) } }.compactMap { $0 }
    }

    /// Adds a library, or replaces that of the same account.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    package func add(_ library: FollowedLibrary) async throws {
        let text = DownloadStore.json(library)
        try await LatchError.converting {
            _ = try await database.write { try $0.run(Self.upsert, library.account, text) }
        }
    }

    /// Removes the library of an account, or all of them. Returns how many were removed.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    @discardableResult
    package func remove(_ account: UUID? = nil) async throws -> Int {
        try await LatchError.converting { try await database.write { try $0.run(Self.delete, account) } }
    }

    /// Runs `follow` for every library whose account is signed in, in tasks of their own, until no library is left.
    ///
    /// When a library is removed or replaced, or its account is signed out, its task is cancelled. It runs again after
    /// the next sign-in. A task that returns before is run again too, after a second.
    ///
    /// - Throws: A `LatchError` with a `storage` code; `CancellationError`.
    package func run(_ follow: @escaping @Sendable (FollowedLibrary) async -> Void) async throws {
        var tasks: [FollowedLibrary: Task<Void, Never>] = [:]
        defer { for task in tasks.values { task.cancel() } }
        // Nil for a change of the database, or the library whose task has returned.
        let (signals, signal) = AsyncStream.makeStream(of: FollowedLibrary?.self)
        let watching = Task {
            for await _ in accounts.databaseChanges { signal.yield(nil) }
            signal.finish()
        }
        defer { watching.cancel() }
        for await ended in signals {
            if let ended { tasks[ended] = nil }
            let all = try await all()
            guard !all.isEmpty else { return }
            let signedIn = Set(try await accounts.accounts().filter(\.isSignedIn).map(\.id))
            let wanted = Set(all.filter { signedIn.contains($0.account) })
            for library in tasks.keys where !wanted.contains(library) { tasks.removeValue(forKey: library)?.cancel() }
            for library in wanted where tasks[library] == nil {
                tasks[library] = Task {
                    await follow(library)
                    if (try? await Task.sleep(for: .seconds(1))) != nil { signal.yield(library) }
                }
            }
        }
        try Task.checkCancellation()
    }

    private static let selectAll = Statement("SELECT library FROM followed_libraries ORDER BY account") {
        row throws(DatabaseError) in
        let text: String = try row.get(0)
        return try? JSON.decode(FollowedLibrary.self, from: Array(text.utf8))
    }

    private static let upsert = Statement(
        """
        INSERT INTO followed_libraries (account, library) VALUES (?, ?)
        ON CONFLICT DO UPDATE SET library = excluded.library
        """, UUID.self, String.self)

    private static let delete = Statement(
        "DELETE FROM followed_libraries WHERE ?1 IS NULL OR account = ?1", UUID?.self)
}
