import Desktop
import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives
import Synchronization

/// Downloads new pictures of libraries as they appear: that of one command until Ctrl-C, and those of the list of
/// followed libraries in the background.
///
/// Source: IM-6, DL-17.
struct FollowLibraries: Sendable {
    /// The pause before a library is tried again after a failure that is not the server's.
    private static let retryPause = Duration.seconds(60)
    /// The interval at which files wait for another program that downloads.
    private static let otherRunInterval = Duration.seconds(30)

    let context: CommandContext
    let background: BackgroundDownload
    private let warnings: Warnings

    init(_ context: CommandContext, _ background: BackgroundDownload) {
        self.context = context
        self.background = background
        warnings = Warnings(context.console)
    }

    // MARK: - One library

    /// Downloads the files of the queue, then new files of a library, until Ctrl-C or the end of the session.
    ///
    /// - Parameters:
    ///   - search: Searches the library.
    ///   - times: The times of the searches, with the one that filled the queue.
    /// - Returns: The exit code.
    /// - Throws: ``LatchError`` when the session or the search ends; `CancellationError`.
    func follow(_ search: LibrarySearching, _ times: SearchTimes) async throws -> ExitCode {
        context.setStopMessage("Stopped. Received data is kept. To continue: latch download")
        try await background.watching {
            try await whileUnlocked {
                try await withThrowingTaskGroup { group in
                    let fetches = FetchSignal()
                    group.addTask {
                        try await fetch(fetches) {
                            context.console.printMessage("Waiting for new pictures. To stop: Ctrl-C")
                        }
                    }
                    group.addTask { try await follow(search, times, fetches) }
                    fetches.send()
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
        return .done
    }

    /// Searches a library after changes, until the session ends.
    private func follow(_ search: LibrarySearching, _ times: SearchTimes, _ fetches: FetchSignal) async throws {
        let (_, session) = try await context.session(search.account)
        try await LibraryFollower().run(try session.events()) { error in
            warnings.report(error)
        } search: {
            try await times.search { try await search.add($0) }
            warnings.reset()
            fetches.send()
        }
    }

    // MARK: - The list

    /// Adds a library to the list, and starts the program that follows it unless it runs already.
    ///
    /// - Parameter library: The library. Nil to start the program again for the libraries of the list.
    /// - Returns: The exit code.
    /// - Throws: ``LatchError`` when the program cannot be started. The library is not in the list then.
    func start(_ library: FollowedLibrary?) async throws -> ExitCode {
        let latch = try await context.client()
        let followed = FollowedLibraries(latch)
        let before = try await followed.all()
        guard library != nil || !before.isEmpty else {
            return try background.nothingLeft(
                .following, "No library is followed. To follow one: latch download --all --follow --background")
        }
        try await context.openSecrets()
        // A program that has seen an empty list is about to end.
        if before.isEmpty { try await followed.lockProgram().release() }
        if let library { try await followed.add(library) }
        if try followed.isRunning() {
            try background.reportRunning(
                .following,
                library == nil
                    ? "New pictures of the followed libraries are downloaded in the background already."
                    : "New pictures of this library are now downloaded in the background too.")
            return .done
        }
        do {
            return try await background.start(.following)
        } catch {
            if let library {
                if let previous = before.first(where: { $0.account == library.account }) {
                    try await followed.add(previous)
                } else {
                    try await followed.remove(library.account)
                }
            }
            throw error
        }
    }

    /// Follows the libraries of the list until it is empty.
    func run() async throws -> ExitCode {
        let followed = FollowedLibraries(try await context.client())
        guard try await !followed.all().isEmpty else {
            return try background.nothingLeft(
                .following, "No library is followed. To follow one: latch download --all --follow --background")
        }
        let lock: ProgramLock
        do { lock = try await followed.lockProgram() } catch let error as LatchError where error.code == .storageLocked
        {
            context.console.printMessage(
                "Another program downloads new pictures already. To see what it follows: latch downloads list")
            return .done
        }
        defer { lock.release() }
        BackgroundProgram.reportReady(context.environment)
        try await background.watching {
            try await withThrowingTaskGroup { group in
                let fetches = FetchSignal()
                group.addTask { try await repeating { try await fetch(fetches) {} } }
                group.addTask {
                    try await repeating {
                        try await followed.run { library in await follow(library, fetches) }
                    }
                }
                fetches.send()
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        return try background.nothingLeft(.following, "No library is followed any more.")
    }

    /// Follows a library of the list until its account is signed out.
    private func follow(_ library: FollowedLibrary, _ fetches: FetchSignal) async {
        let search = DownloadFiles.searching(library, background.destination, context)
        let times = SearchTimes()
        try? await repeating {
            do {
                try await whileUnlocked {
                    // A lock, or the end of a session, has paused the files of the account.
                    let queue = try await background.destination.open(context, isChoosing: false).queue
                    if try await queue.resumeHeld(of: library.account) > 0 { fetches.send() }
                    try await follow(search, times, fetches)
                }
            } catch let error as LatchError where [.signedOut, .sessionEnded, .noAccount].contains(error.code) {
                warnings.report(error)
            } catch let error as LatchError where error.code == .cancelled {
                // The library was removed from the list, or replaced, during a search.
            }
        }
    }

    /// Runs `body` until it returns. A failure is reported, and followed by a pause.
    private func repeating(_ body: () async throws -> Void) async throws {
        while true {
            do { return try await body() } catch {
                try Task.checkCancellation()
                warnings.report(LatchError(describing: error))
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

    /// Downloads what waits in the queue at each signal. While another program downloads, this one waits. `onIdle` is
    /// called after the first signal, and after each that has downloaded something.
    private func fetch(_ signals: FetchSignal, onIdle: () -> Void) async throws {
        var isFirst = true
        for await _ in signals.stream {
            // A failure must not lose the signal.
            var isDone = false
            defer { if !isDone { signals.send() } }
            let (queue, _) = try await background.destination.open(context, isChoosing: false)
            var hasFetched = false
            while try await queue.progress().open > 0 {
                guard try await queue.isFetchedElsewhere() else {
                    _ = try await background.fetch(queue)
                    hasFetched = true
                    guard try await resumeAfterLock(queue) else { break }
                    continue
                }
                try await Task.sleep(for: Self.otherRunInterval)
            }
            isDone = true
            if isFirst || hasFetched { onIdle() }
            isFirst = false
        }
        try Task.checkCancellation()
    }
}

extension FollowLibraries {
    /// Waits until the device is unlocked, and resumes the files that the lock has paused. Returns whether there were any.
    private func resumeAfterLock(_ queue: DownloadQueue) async throws -> Bool {
        let latch = try await context.client()
        guard try latch.lock.state != .none else { return false }
        for await state in latch.lock.stateUpdates where state != .locked { break }
        // If something else pauses the files again, the rounds do not follow each other at once.
        try await Task.sleep(for: .seconds(1))
        var count = 0
        for account in try await latch.accounts.accounts() where account.isSignedIn && !account.mustChangePassword {
            count += try await queue.resumeHeld(of: account.id)
        }
        return count > 0
    }
}

/// How a library is searched.
struct LibrarySearching: Sendable {
    /// The selector of the account.
    let account: String?
    /// Searches for pictures that the server added or changed since a time, or for all, and adds those that are missing
    /// to the queue.
    let add: @Sendable (_ since: Date?) async throws -> Void
}

/// Starts a round of downloads.
private struct FetchSignal: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func send() { continuation.yield() }
}

/// Reports failures, each once until another one or a success.
private final class Warnings: Sendable {
    private let console: Console
    private let last = Mutex<String?>(nil)

    init(_ console: Console) { self.console = console }

    func report(_ error: LatchError) {
        let isNew = last.withLock { last in
            defer { last = error.message }
            return last != error.message
        }
        if isNew { console.warn(error.messageWithCommand.printable) }
    }

    func reset() { last.withLock { $0 = nil } }
}
