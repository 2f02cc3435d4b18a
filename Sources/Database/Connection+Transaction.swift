extension Connection {
    private static let beginWriting = Statement("BEGIN IMMEDIATE")
    private static let beginReading = Statement("BEGIN")
    private static let commit = Statement("COMMIT")
    private static let rollback = Statement("ROLLBACK")
    private static let enterBody = Statement("SAVEPOINT body")
    private static let keepBody = Statement("RELEASE body")
    private static let undoBody = Statement("ROLLBACK TO body")
    private static let queryOnly = Statement("PRAGMA query_only = ON")
    private static let queryAndWrite = Statement("PRAGMA query_only = OFF")

    /// Begins a transaction that holds the write lock.
    ///
    /// SQLite waits for the lock itself, up to the busy time-out, but gives up at once where it fears a deadlock;
    /// until `deadline` it is asked again.
    func beginWriting(until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        try checkPlace(.write)
        try retryingWhileLocked(until: deadline) { () throws(DatabaseError) in
            _ = try run(Self.beginWriting)
        }
    }

    /// Makes the transaction durable; on failure there is no transaction afterwards and nothing of it is kept.
    func commitWriting() throws(DatabaseError) {
        do throws(DatabaseError) {
            try run(Self.commit)
        } catch {
            abandonTransaction()
            throw error
        }
    }

    /// Ends whatever transaction is open, keeping nothing.
    func abandonTransaction() {
        guard !handle.isOutsideTransaction else { return }
        // A rollback that reports an error has still ended the transaction.
        _ = try? run(Self.rollback)
    }

    /// Runs `body` in a transaction that is meant to read.
    func snapshot(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run(Self.beginReading)
        defer { abandonTransaction() }
        try body()
    }

    /// Runs one body in a savepoint of the open transaction.
    ///
    /// - Returns: The error for this body's caller in place of its outcome, nil when the outcome stands.
    /// - Throws: What ended the whole transaction; then nothing of it is kept, also of the bodies before.
    func performNested(_ call: any PendingCall) throws(DatabaseError) -> (any Error)? {
        try run(Self.enterBody)
        let thrown = lend(to: call)
        if handle.isOutsideTransaction { throw lostTransaction(thrown) }
        if thrown == nil, !handle.hasDeferredViolations {
            try run(Self.keepBody)
            return nil
        }
        try run(Self.undoBody)
        try run(Self.keepBody)
        return thrown ?? danglingReference
    }

    private func lostTransaction(_ thrown: (any Error)?) -> DatabaseError {
        breakage ?? (thrown as? DatabaseError)
            ?? DatabaseError(.other, "Could not write to \(handle.subject): its transaction was rolled back.")
    }

    /// Checked for each body, since at COMMIT it would take the whole group with it.
    private var danglingReference: DatabaseError {
        DatabaseError(
            .constraint(.foreignKey),
            "Could not write to \(handle.subject): FOREIGN KEY constraint failed at the end of the write.")
    }

    /// Runs a body in a snapshot that refuses writes; gives the error for the caller in place of the outcome.
    ///
    /// `alwaysRefusesWrites` says that the connection is set so from the start, as a reader's is.
    func performRead(_ call: any PendingCall, alwaysRefusesWrites: Bool) -> (any Error)? {
        do throws(DatabaseError) {
            try checkPlace(.read)
            guard !alwaysRefusesWrites else { return try performInSnapshot(call) }
            try refuseWrites(true)
            let outcome = Result { () throws(DatabaseError) in try performInSnapshot(call) }
            try refuseWrites(false)
            return try outcome.get()
        } catch {
            return error
        }
    }

    private func performInSnapshot(_ call: any PendingCall) throws(DatabaseError) -> (any Error)? {
        var thrown: (any Error)?
        try snapshot { thrown = lend(to: call) }
        return thrown
    }

    private func refuseWrites(_ refuse: Bool) throws(DatabaseError) {
        try run(refuse ? Self.queryOnly : Self.queryAndWrite)
        handle.refusesWrites = refuse
    }

    /// Without this, writes to a deleted or replaced file would be kept nowhere and still be answered.
    private func checkPlace(_ act: DatabaseError.Act) throws(DatabaseError) {
        if handle.hasMoved {
            throw .sqlite(.moved, act: act, subject: handle.subject)
        }
    }
}
