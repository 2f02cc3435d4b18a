/// The loop of the writer thread. It takes all waiting jobs, commits their writes together and resumes the callers.
///
/// A single write never waits for others. Groups form while the previous commit is flushed to the disk.
struct Writer {
    /// A job for the writer.
    enum Job: Sendable {
        /// A change that is committed together with others.
        case write(any PendingCall, outlivesPowerLoss: Bool)
        /// A task that runs between two commits, outside any transaction.
        case maintenance(any PendingCall)
        /// A read, for a database without reading connections.
        case read(any PendingCall)
    }

    /// The number of pages in the log from which the log is copied into the file. The same as SQLite's default.
    private static let checkpointPages = 1000

    let connection: Connection
    let busyTimeout: Duration
    let writeCounter: WriteCounter
    /// Whether commits are flushed to the disk at once: the connection's current setting.
    var syncsCommits: Bool

    /// Runs jobs until the mailbox is closed and empty.
    mutating func run(_ mailbox: Mailbox<Job>) {
        let isDurable = syncsCommits
        while let jobs = mailbox.takeAll() {
            var syncs = false
            let calls = jobs.compactMap { job -> (any PendingCall)? in
                guard case .write(let call, let outlivesPowerLoss) = job else { return nil }
                // One such write decides for the whole group, because the group has one commit.
                if outlivesPowerLoss { syncs = isDurable }
                return call
            }
            if !calls.isEmpty { write(calls, syncs: syncs) }
            for job in jobs { serve(job) }
            checkpointIfNeeded()
        }
    }

    /// Sets whether commits are flushed to the disk.
    ///
    /// Mixing both kinds of commits is safe: in the log, a later commit never survives a power failure that an earlier
    /// commit does not.
    ///
    /// Source: SQLite, "Pragma Statements": `synchronous`, NORMAL in WAL mode.
    private mutating func syncCommits(_ syncs: Bool) throws(DatabaseError) {
        guard syncs != syncsCommits else { return }
        try connection.handle.execute("PRAGMA synchronous = \(syncs ? "FULL" : "NORMAL")", operation: .write)
        syncsCommits = syncs
    }

    private func serve(_ job: Job) {
        switch job {
        case .write: break
        case .maintenance(let call) where call.start():
            _ = call.perform(on: connection)
            call.complete(failure: nil)
        case .read(let call) where call.start():
            call.complete(failure: connection.performRead(call, alwaysRefusesWrites: false))
        case .maintenance, .read: break
        }
    }

    /// Commits the calls together. When one of them causes a rollback of the transaction, the calls after it run in a
    /// new transaction.
    private mutating func write(_ calls: [any PendingCall], syncs: Bool) {
        var waiting = calls[...]
        while !waiting.isEmpty {
            do throws(DatabaseError) {
                try syncCommits(syncs)
                try connection.beginWriting(until: .now + busyTimeout)
            } catch {
                for call in waiting where call.start() { call.complete(failure: error) }
                return
            }
            writeGroup(&waiting)
        }
    }

    /// Runs the bodies of the calls in the open transaction and commits it. The callers are resumed only after that.
    private func writeGroup(_ waiting: inout ArraySlice<any PendingCall>) {
        var done: [(call: any PendingCall, failure: (any Error)?)] = []
        do throws(DatabaseError) {
            while let call = waiting.popFirst() {
                guard call.start() else { continue }
                // Added before it runs, so that its caller also gets an error that ends the whole transaction.
                done.append((call, nil))
                done[done.count - 1].failure = try connection.performNested(call)
            }
            try finish(successes: done.count { $0.failure == nil })
        } catch {
            connection.abandonTransaction()
            for index in done.indices where done[index].failure == nil { done[index].failure = error }
        }
        for (call, failure) in done { call.complete(failure: failure) }
    }

    private func finish(successes: Int) throws(DatabaseError) {
        // When no body has succeeded, there is nothing to commit.
        guard successes > 0 else { return connection.abandonTransaction() }
        try connection.commitWriting()
        writeCounter.add(writes: successes)
    }

    /// Copies a long log into the file, after the callers were resumed.
    private func checkpointIfNeeded() {
        guard connection.handle.logPages >= Self.checkpointPages else { return }
        connection.handle.logPages = 0
        // When the checkpoint fails, the data stays in the log, where it is just as safe. The next commit tries again.
        _ = try? connection.handle.checkpoint(truncating: false)
    }
}
