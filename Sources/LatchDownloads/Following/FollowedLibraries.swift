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
            _ = try await database.change { try $0.run(Self.upsert, library.account, text) }
        }
    }

    /// Removes the library of an account, or all of them. Returns how many were removed.
    ///
    /// When this method returns, no program adds further files of the library to the queue.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    @discardableResult
    package func remove(_ account: UUID? = nil) async throws -> Int {
        try await LatchError.converting { try await database.change { try $0.run(Self.delete, account) } }
    }

    /// Throws unless a library is followed, in the same way and to the same place.
    static func check(_ library: FollowedLibrary, _ connection: Connection) throws {
        guard try connection.all(selectAll).contains(library) else {
            throw LatchError(.cancelled, "New pictures of this library are no longer downloaded.")
        }
    }

    /// Changes where those libraries are saved whose present place `isMoved` accepts.
    static func move(
        to place: LibraryLocation, in connection: Connection, where isMoved: (LibraryLocation) -> Bool
    ) throws {
        for library in try connection.all(selectAll).compactMap(\.self) where isMoved(library.location) {
            let moved = FollowedLibrary(account: library.account, selection: library.selection, location: place)
            _ = try connection.run(upsert, moved.account, DownloadStore.json(moved))
        }
    }

    /// Acquires the lock of the program that follows the libraries. A program that is about to end is waited for, up to
    /// ten seconds.
    ///
    /// - Throws: ``LatchError/Code/storageLocked`` when another program follows them; `CancellationError`.
    package func lockProgram() async throws -> ProgramLock {
        for _ in 0..<200 {
            if let lock = try accounts.lockIfFree(named: Self.lockName) { return ProgramLock(lock) }
            guard try await all().isEmpty else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw LatchError(
            .storageLocked,
            "Another program follows the libraries. Stop following them, and try again.", remedy: .stopFollowing)
    }

    /// Whether a program follows the libraries.
    package func isRunning() throws -> Bool {
        guard let lock = try accounts.lockIfFree(named: Self.lockName) else { return true }
        lock.release()
        return false
    }

    private static let lockName = "follow"

    /// Runs `follow` for every library whose account is signed in, in tasks of their own, until no library is left.
    ///
    /// When a library is removed or replaced, its task is cancelled. When its account is signed out, `follow` returns by
    /// itself. A task that has returned is run again after a second, or after the next sign-in. All tasks have ended when
    /// this method returns.
    ///
    /// - Throws: A `LatchError` with a `storage` code; `CancellationError`.
    package func run(_ follow: @escaping @Sendable (FollowedLibrary) async -> Void) async throws {
        var tasks = FollowingTasks(follow)
        let watching = Task { [signal = tasks.signal] in
            for await _ in accounts.databaseChanges { signal.yield(nil) }
            signal.finish()
        }
        defer { watching.cancel() }
        let result: Result<Void, any Error>
        do {
            for await ended in tasks.signals {
                if let ended { tasks.ended(ended) }
                let all = try await all()
                guard !all.isEmpty else { break }
                let signedIn = Set(try await accounts.accounts().filter(\.isSignedIn).map(\.id))
                tasks.run(all.filter { signedIn.contains($0.account) }, keeping: all)
            }
            try Task.checkCancellation()
            result = .success(())
        } catch { result = .failure(error) }
        await tasks.end()
        try result.get()
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

/// The tasks that follow libraries.
private struct FollowingTasks {
    /// Nil for a change of the database, or the number of a task that has returned.
    let signals: AsyncStream<Int?>
    let signal: AsyncStream<Int?>.Continuation
    private let follow: @Sendable (FollowedLibrary) async -> Void
    private var tasks: [FollowedLibrary: (number: Int, task: Task<Void, Never>)] = [:]
    private var stopped: [Task<Void, Never>] = []
    private var lastNumber = 0

    init(_ follow: @escaping @Sendable (FollowedLibrary) async -> Void) {
        self.follow = follow
        (signals, signal) = AsyncStream.makeStream()
    }

    mutating func ended(_ number: Int) { tasks = tasks.filter { $0.value.number != number } }

    /// Has a task run for each of the libraries `wanted`, and ends those of libraries that are not among `all`.
    mutating func run(_ wanted: [FollowedLibrary], keeping all: [FollowedLibrary]) {
        for (library, running) in tasks where !all.contains(library) {
            running.task.cancel()
            stopped.append(running.task)
            tasks[library] = nil
        }
        for library in wanted where tasks[library] == nil {
            lastNumber += 1
            let task = Task { [follow, signal, lastNumber] in
                await follow(library)
                if (try? await Task.sleep(for: .seconds(1))) != nil { signal.yield(lastNumber) }
            }
            tasks[library] = (lastNumber, task)
        }
    }

    /// Ends all tasks.
    mutating func end() async {
        run([], keeping: [])
        for task in stopped { await task.value }
    }
}

/// The lock of the program that follows libraries. It ends with the program.
package struct ProgramLock: Sendable {
    private let file: FileLock

    fileprivate init(_ file: FileLock) { self.file = file }

    /// Releases the lock.
    package func release() { file.release() }
}
