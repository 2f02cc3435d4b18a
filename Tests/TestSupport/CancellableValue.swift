extension Task {
    /// The value of the task. Cancels the task when the waiting task is cancelled.
    ///
    /// With `value`, a test that waits for its own task would not end at its time limit.
    ///
    /// - Throws: The error of the task.
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
    /// The value of the task. Cancels the task when the waiting task is cancelled.
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
