extension Connection {
    // A read lock that becomes a write lock later can fail immediately, without waiting for other writers.
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
    /// SQLite itself waits for the lock, up to the busy timeout, but fails immediately where waiting might cause a
    /// deadlock. This function retries until `deadline`.
    func beginWriting(until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        try checkPlace(.write)
        try retryingWhileLocked(until: deadline) { () throws(DatabaseError) in
            _ = try run(Self.beginWriting)
        }
    }

    /// Commits the transaction. On failure, the whole transaction is rolled back.
    func commitWriting() throws(DatabaseError) {
        do throws(DatabaseError) {
            try run(Self.commit)
        } catch {
            // A COMMIT that fails with SQLITE_BUSY leaves the transaction open.
            abandonTransaction()
            throw error
        }
    }

    /// Rolls back the open transaction, if there is one.
    func abandonTransaction() {
        guard !handle.isOutsideTransaction else { return }
        // A rollback that reports an error has ended the transaction nevertheless.
        _ = try? run(Self.rollback)
    }

    /// Runs `body`, which is expected only to read, in a transaction that is rolled back afterwards.
    func snapshot(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run(Self.beginReading)
        defer { abandonTransaction() }
        try body()
    }

    /// Runs the body of one call in a savepoint of the open transaction.
    ///
    /// - Returns: The error that the caller gets in place of the body's outcome. Nil when the body's changes are kept
    ///   and the caller gets the outcome.
    /// - Throws: The error that ended the whole transaction. Nothing in the transaction is kept, including the changes
    ///   of earlier bodies.
    func performNested(_ call: any PendingCall) throws(DatabaseError) -> (any Error)? {
        try run(Self.enterBody)
        let thrown = perform(call)
        // SQLite rolls the whole transaction back after some errors, such as a full disk.
        if handle.isOutsideTransaction { throw lostTransaction(thrown) }
        if thrown == nil, !handle.hasDeferredViolations {
            try run(Self.keepBody)
            return nil
        }
        // ROLLBACK TO undoes the changes but keeps the savepoint, so it is released as well.
        try run(Self.undoBody)
        try run(Self.keepBody)
        return thrown ?? danglingReference
    }

    private func lostTransaction(_ thrown: (any Error)?) -> DatabaseError {
        breakage ?? (thrown as? DatabaseError)
            ?? DatabaseError(.other, "Could not write to \(handle.subject): its transaction was rolled back.")
    }

    /// The error for a body that leaves a deferred foreign key violated. Checked after each body, because at COMMIT the
    /// violation would fail the whole group.
    private var danglingReference: DatabaseError {
        DatabaseError(
            .constraint(.foreignKey),
            "Could not write to \(handle.subject): FOREIGN KEY constraint failed at the end of the write.")
    }

    /// Runs a body in a snapshot that refuses writes. Returns the error that the caller gets in place of the outcome,
    /// or nil.
    ///
    /// `alwaysRefusesWrites` is true when the connection has refused writes since it was opened, as a reader's does.
    func performRead(_ call: any PendingCall, alwaysRefusesWrites: Bool) -> (any Error)? {
        do throws(DatabaseError) {
            try checkPlace(.read)
            guard !alwaysRefusesWrites else { return try performInSnapshot(call) }
            try refuseWrites(true)
            // Not thrown yet, because the connection must accept writes again in any case.
            let outcome = Result { () throws(DatabaseError) in try performInSnapshot(call) }
            try refuseWrites(false)
            return try outcome.get()
        } catch {
            return error
        }
    }

    private func performInSnapshot(_ call: any PendingCall) throws(DatabaseError) -> (any Error)? {
        var thrown: (any Error)?
        try snapshot { thrown = perform(call) }
        return thrown
    }

    private func refuseWrites(_ refuse: Bool) throws(DatabaseError) {
        try run(refuse ? Self.queryOnly : Self.queryAndWrite)
        handle.refusesWrites = refuse
    }

    /// Throws when the file was moved, deleted or replaced. Without this check, writes to such a file would succeed and
    /// then be lost.
    private func checkPlace(_ operation: DatabaseError.Action) throws(DatabaseError) {
        if handle.hasMoved {
            throw .sqlite(.moved, operation: operation, subject: handle.subject)
        }
    }
}
