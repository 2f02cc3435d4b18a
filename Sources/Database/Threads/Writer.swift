/// The loop of the one thread that writes: takes all that waits, commits it together, tells the callers, and again.
///
/// A lone caller is never kept waiting for company; groups form while the commit before is on its way to the disk.
struct Writer {
    /// What the writer is asked for.
    enum Job: Sendable {
        /// A change, to be committed together with others.
        case write(any PendingCall, outlivesPowerLoss: Bool)
        /// Something between two commits, outside any transaction.
        case errand(any PendingCall)
        /// A read, where there is no other connection to read with.
        case read(any PendingCall)
    }

    /// Pages in the log from which on it is moved into the file; SQLite's own default.
    private static let checkpointPages = 1000

    let connection: Connection
    let busyTimeout: Duration
    let tally: Tally
    /// Whether a commit is brought to the disk at once, as SQLite is told now.
    var syncsCommits: Bool

    /// Serves jobs until the mailbox is closed and empty.
    mutating func run(_ mailbox: Mailbox<Job>) {
        let isDurable = syncsCommits
        while let jobs = mailbox.takeAll() {
            var syncs = false
            let calls = jobs.compactMap { job -> (any PendingCall)? in
                guard case .write(let call, let outlivesPowerLoss) = job else { return nil }
                if outlivesPowerLoss { syncs = isDurable }
                return call
            }
            if !calls.isEmpty { write(calls, syncs: syncs) }
            for job in jobs { serve(job) }
            tidy()
        }
    }

    /// In the log, what is committed later never outlives what was committed before it.
    ///
    /// Source: SQLite, "Pragma Statements": `synchronous`, NORMAL in WAL mode.
    private mutating func syncCommits(_ syncs: Bool) throws(DatabaseError) {
        guard syncs != syncsCommits else { return }
        try connection.handle.execute("PRAGMA synchronous = \(syncs ? "FULL" : "NORMAL")", act: .write)
        syncsCommits = syncs
    }

    private func serve(_ job: Job) {
        switch job {
        case .write: break
        case .errand(let call) where call.start():
            _ = call.perform(on: connection)
            call.settle(failure: nil)
        case .read(let call) where call.start():
            call.settle(failure: connection.performRead(call, alwaysRefusesWrites: false))
        case .errand, .read: break
        }
    }

    /// Commits the calls together. When one of them loses the transaction, the ones after it get a new one.
    private mutating func write(_ calls: [any PendingCall], syncs: Bool) {
        var waiting = calls[...]
        while !waiting.isEmpty {
            do throws(DatabaseError) {
                try syncCommits(syncs)
                try connection.beginWriting(until: .now + busyTimeout)
            } catch {
                for call in waiting where call.start() { call.settle(failure: error) }
                return
            }
            writeGroup(&waiting)
        }
    }

    /// Runs the calls' bodies in the open transaction and commits it; only then the callers hear of it.
    private func writeGroup(_ waiting: inout ArraySlice<any PendingCall>) {
        var done: [(call: any PendingCall, failure: (any Error)?)] = []
        do throws(DatabaseError) {
            while let call = waiting.popFirst() {
                guard call.start() else { continue }
                done.append((call, nil))
                done[done.count - 1].failure = try connection.performNested(call)
            }
            try finish(kept: done.count { $0.failure == nil })
        } catch {
            connection.abandonTransaction()
            for index in done.indices where done[index].failure == nil { done[index].failure = error }
        }
        for (call, failure) in done { call.settle(failure: failure) }
    }

    private func finish(kept: Int) throws(DatabaseError) {
        guard kept > 0 else { return connection.abandonTransaction() }
        try connection.commitWriting()
        tally.add(writes: kept)
    }

    /// Moves a long log into the file, after the callers have their answers.
    private func tidy() {
        guard connection.handle.logPages >= Self.checkpointPages else { return }
        connection.handle.logPages = 0
        // What fails here stays in the log, where it is just as safe, and the next commit tries again.
        _ = try? connection.handle.checkpoint(truncating: false)
    }
}
