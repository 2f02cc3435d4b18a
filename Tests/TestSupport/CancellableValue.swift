extension Task {
    /// The task's value. Cancels the task when the waiting task is cancelled.
    ///
    /// `value` would keep waiting: a test that waits for its own task would not end at its time limit.
    ///
    /// - Throws: What the task throws.
    public var cancellableValue: Success {
        get async throws {
            try await withTaskCancellationHandler {
                try await value
            } onCancel: {
                cancel()
            }
        }
    }
}

extension Task where Failure == Never {
    /// The task's value. Cancels the task when the waiting task is cancelled.
    public var cancellableValue: Success {
        get async {
            await withTaskCancellationHandler {
                await value
            } onCancel: {
                cancel()
            }
        }
    }
}
