extension Task {
    /// The task's value; cancels the task when the one that waits is cancelled.
    ///
    /// Unlike this, `value` goes on waiting: a test that waits for its own task would not end at its time limit.
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
    /// The task's value; cancels the task when the one that waits is cancelled.
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
