extension Connection {
    /// Runs `body`, which is expected only to read, in a transaction that is rolled back afterwards.
    package func snapshot(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try driver.beginReading()
        // Not thrown yet, because the transaction must end in any case.
        let outcome = Result { () throws(DatabaseError) in try body() }
        try driver.endReading()
        try outcome.get()
    }

    /// Runs the body of one call as a nested part of the open transaction.
    ///
    /// - Returns: The error that the caller gets in place of the body's outcome. Nil when the body's changes are kept
    ///   and the caller gets the outcome.
    /// - Throws: The error that ended the whole transaction. Nothing in the transaction is kept, including the changes
    ///   of earlier bodies.
    func performNested(_ call: any PendingCall) throws(DatabaseError) -> (any Error)? {
        try driver.beginNested()
        let thrown = perform(call)
        // The database rolls the whole transaction back after some errors, such as a full disk.
        if driver.isOutsideTransaction { throw lostTransaction(thrown) }
        guard let failure = thrown ?? driver.nestedFailure else {
            try driver.keepNested()
            return nil
        }
        try driver.undoNested()
        return failure
    }

    private func lostTransaction(_ thrown: (any Error)?) -> DatabaseError {
        breakage ?? (thrown as? DatabaseError)
            ?? .rolledBack(driver.subject)
    }

    /// Runs a body in a snapshot that refuses writes. Returns the error that the caller gets in place of the outcome,
    /// or nil.
    func performRead(_ call: any PendingCall) -> (any Error)? {
        var thrown: (any Error)?
        do throws(DatabaseError) {
            try snapshot { thrown = perform(call) }
            return thrown
        } catch {
            return error
        }
    }
}
