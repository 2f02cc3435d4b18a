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

    let connection: Connection
    let writeCounter: WriteCounter

    /// Runs jobs until the mailbox is closed and empty.
    func run(_ mailbox: Mailbox<Job>) {
        while let jobs = mailbox.takeAll() {
            var outlivesPowerLoss = false
            let calls = jobs.compactMap { job -> (any PendingCall)? in
                guard case .write(let call, let isDurable) = job else { return nil }
                // One such write decides for the whole group, because the group has one commit.
                outlivesPowerLoss = outlivesPowerLoss || isDurable
                return call
            }
            if !calls.isEmpty { write(calls, outlivesPowerLoss) }
            for job in jobs { serve(job) }
            connection.driver.maintainAfterCommit()
        }
    }

    private func serve(_ job: Job) {
        switch job {
        case .write: break
        case .maintenance(let call) where call.start():
            _ = call.perform(on: connection)
            call.complete(failure: nil)
        case .read(let call) where call.start():
            call.complete(failure: connection.performRead(call))
        case .maintenance, .read: break
        }
    }

    /// Commits the calls together. When one of them causes a rollback of the transaction, the calls after it run in a
    /// new transaction.
    private func write(_ calls: [any PendingCall], _ outlivesPowerLoss: Bool) {
        var waiting = calls[...]
        while !waiting.isEmpty {
            do throws(DatabaseError) {
                try connection.driver.beginWriting(outlivesPowerLoss: outlivesPowerLoss)
            } catch {
                return fail(waiting, error)
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
            connection.driver.rollback()
            for index in done.indices where done[index].failure == nil { done[index].failure = error }
            // The calls after it would wait as long, one after another, for the same error.
            if [.locked, .unavailable].contains(error.code) {
                fail(waiting, error)
                waiting = []
            }
        }
        for (call, failure) in done { call.complete(failure: failure) }
    }

    private func fail(_ calls: ArraySlice<any PendingCall>, _ error: DatabaseError) {
        for call in calls where call.start() { call.complete(failure: error) }
    }

    private func finish(successes: Int) throws(DatabaseError) {
        // When no body has succeeded, there is nothing to commit.
        guard successes > 0 else { return connection.driver.rollback() }
        try connection.driver.commit()
        writeCounter.add(writes: successes)
    }
}
