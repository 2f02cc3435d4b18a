import Desktop
import FoundationEssentials
import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Synchronization

/// Downloads new pictures of libraries as they appear: that of one command until Ctrl-C, and those of the list of
/// followed libraries in the background.
///
/// Source: IM-6, DL-17.
struct FollowLibraries: Sendable {
    /// By how much the time of a search precedes that of the one before, because the clocks of the server and of this
    /// machine may differ.
    private static let clockDifference: TimeInterval = 24 * 3_600
    /// The pause before a library is tried again after a failure that is not the server's.
    private static let retryPause = Duration.seconds(60)
    /// The interval at which files wait for another program that downloads.
    private static let otherRunInterval = Duration.seconds(30)
    /// The name of the lock of the program that follows the list.
    private static let lockName = "follow"

    let context: CommandContext
    let background: BackgroundDownload
    /// The accounts whose sessions ended while their libraries were followed.
    private let signedOut = SignedOutAccounts()

    init(_ context: CommandContext, _ background: BackgroundDownload) {
        self.context = context
        self.background = background
    }

    // MARK: - One library

    /// Downloads the files of the queue, then new files of a library, until Ctrl-C or the end of the session.
    ///
    /// - Parameters:
    ///   - search: Searches the library.
    ///   - start: When the search that filled the queue began.
    /// - Returns: The exit code.
    /// - Throws: ``LatchError`` when the session or the search ends; `CancellationError`.
    func follow(_ search: LibrarySearching, since start: Date) async throws -> ExitCode {
        context.setStopMessage("Stopped. Received data is kept. To continue: latch download")
        try await whileUnlocked {
            try await withThrowingTaskGroup { group in
                let fetches = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    try await fetch(fetches.stream) {
                        context.console.printMessage("Waiting for new pictures. To stop: Ctrl-C")
                    }
                }
                group.addTask { try await follow(search, SearchTime(start), fetches.continuation) }
                fetches.continuation.yield()
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        return .done
    }

    /// Searches a library after changes, until the session ends.
    private func follow(
        _ search: LibrarySearching, _ last: SearchTime, _ fetches: AsyncStream<Void>.Continuation
    ) async throws {
        let (_, session) = try await context.session(search.account)
        try await LibraryFollower().run(try session.events()) { error in
            context.console.warn(error.message.printable)
        } search: {
            let now = Date()
            try await search.add(last.time.map { $0.addingTimeInterval(-Self.clockDifference) })
            last.time = now
            fetches.yield()
        }
    }

    // MARK: - The list

    /// Adds a library to the list and starts the program that follows it, unless it runs already.
    func start(_ library: FollowedLibrary) async throws -> ExitCode {
        let latch = try await context.client()
        try await context.openSecrets()
        let followed = FollowedLibraries(latch)
        let previous = try await followed.all().first { $0.account == library.account }
        try await followed.add(library)
        guard let lock = try latch.accounts.lockIfFree(named: Self.lockName) else {
            try background.reportRunning(
                .follow,
                "The program that downloads new pictures in the background runs already, and includes this library.")
            return .done
        }
        lock.release()
        do {
            return try await background.start(.follow)
        } catch {
            if let previous { try await followed.add(previous) } else { try await followed.remove(library.account) }
            throw error
        }
    }

    /// Follows the libraries of the list until it is empty.
    func run() async throws -> ExitCode {
        let latch = try await context.client()
        guard let lock = try latch.accounts.lockIfFree(named: Self.lockName) else {
            context.console.printMessage("Another program downloads new pictures already.")
            return .done
        }
        defer { lock.release() }
        let followed = FollowedLibraries(latch)
        guard try await !followed.all().isEmpty else {
            return try background.nothingLeft(.follow, "No library is followed.")
        }
        BackgroundProgram.reportReady(context.environment)
        let renewal = Task { try? await latch.renewSessions() }
        let watch = Task { [context] in await latch.lock.lockWithSession(context.environment) }
        defer {
            renewal.cancel()
            watch.cancel()
        }
        try await withThrowingTaskGroup { group in
            let fetches = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask { try await repeating { try await fetch(fetches.stream) {} } }
            group.addTask {
                try await followed.run { library in await follow(library, fetches.continuation) }
            }
            fetches.continuation.yield()
            defer { group.cancelAll() }
            try await group.next()
        }
        return try background.nothingLeft(.follow, "No library is followed any more.")
    }

    /// Follows a library of the list until its account is signed out.
    private func follow(_ library: FollowedLibrary, _ fetches: AsyncStream<Void>.Continuation) async {
        let search = DownloadFiles.searching(library, background.destination, context)
        let last = SearchTime(nil)
        try? await repeating {
            do {
                if signedOut.ids.withLock({ $0.remove(library.account) }) != nil {
                    // The end of the session has paused the files of the account.
                    let queue = try await background.destination.open(context, isChoosing: false).queue
                    if try await queue.resume(of: library.account) > 0 { fetches.yield() }
                }
                try await whileUnlocked { try await follow(search, last, fetches) }
            } catch let error as LatchError where [.signedOut, .sessionEnded, .noAccount].contains(error.code) {
                context.console.warn(error.message.printable)
                signedOut.ids.withLock { _ = $0.insert(library.account) }
            }
        }
    }

    /// Runs `body` until it returns. A failure is followed by a pause, and reported unless it is the same as before.
    private func repeating(_ body: () async throws -> Void) async throws {
        var last: String?
        while true {
            do { return try await body() } catch {
                try Task.checkCancellation()
                let message = LatchError(describing: error).message
                if message != last { context.console.warn(message.printable) }
                last = message
                try await Task.sleep(for: Self.retryPause)
            }
        }
    }

    /// Runs `body` when the device is unlocked, again after each lock that stops it. The settings of the lock say
    /// whether a lock stops it.
    private func whileUnlocked(_ body: () async throws -> Void) async throws {
        let lock = try await context.client().lock
        while true {
            for await state in lock.stateUpdates where state != .locked { break }
            do {
                return try await lock.retaining(body)
            } catch let error as LatchError where error.code == .pinRequired {
                try Task.checkCancellation()
            }
        }
    }

    // MARK: - The queue

    /// Downloads what waits in the queue at each signal. While another program downloads, this one waits.
    private func fetch(_ signals: AsyncStream<Void>, onIdle: () -> Void) async throws {
        for await _ in signals {
            let (queue, _) = try await background.destination.open(context, isChoosing: false)
            while try await queue.progress().open > 0 {
                guard try await queue.isFetchedElsewhere() else {
                    _ = try await background.run(queue)
                    break
                }
                try await Task.sleep(for: Self.otherRunInterval)
            }
            onIdle()
        }
        try Task.checkCancellation()
    }
}

/// A set of accounts.
private final class SignedOutAccounts: Sendable {
    let ids = Mutex<Set<UUID>>([])
}

/// How a library is searched.
struct LibrarySearching: Sendable {
    /// The selector of the account.
    let account: String?
    /// Searches for pictures that the server added or changed since a time, or for all, and adds those that are missing
    /// to the queue.
    let add: @Sendable (_ since: Date?) async throws -> Void
}

/// When the last search of a library began.
private final class SearchTime: @unchecked Sendable {  // Used by one follower, which runs one search at a time.
    var time: Date?

    init(_ time: Date?) { self.time = time }
}
