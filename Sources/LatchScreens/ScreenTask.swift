/// The work that a screen does at present. Starting other work cancels it, so that a late result changes nothing.
@MainActor
final class ScreenTask {
    private var task: Task<Void, Never>?
    /// The work that was cancelled and has not ended.
    private var cancelled: [Int: Task<Void, Never>] = [:]
    private var number = 0

    /// Whether there is work that was not cancelled.
    var isRunning: Bool { task != nil }

    /// Cancels the current work and starts other work.
    ///
    /// - Parameter body: The work. `isCurrent` is false once it was cancelled or replaced; its result must be ignored
    ///   then.
    func start(_ body: @escaping @MainActor (_ isCurrent: @MainActor () -> Bool) async -> Void) {
        cancel()
        let own = number
        task = Task { [weak self] in
            await body { self?.number == own && !Task.isCancelled }
            self?.end(own)
        }
    }

    /// Cancels the current work.
    func cancel() {
        task?.cancel()
        cancelled[number] = task
        task = nil
        number += 1
    }

    /// Waits until the current work and all work that was cancelled have ended.
    func finish() async {
        for task in cancelled.values { await task.value }
        await task?.value
    }

    private func end(_ number: Int) {
        cancelled[number] = nil
        if number == self.number { task = nil }
    }

    deinit { task?.cancel() }
}
