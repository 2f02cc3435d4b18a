/// The work that a screen does at present. Starting other work cancels it, so that a late result changes nothing.
@MainActor
final class ScreenTask {
    private var task: Task<Void, Never>?
    /// The work that was cancelled last, which may still run for a moment.
    private var cancelled: Task<Void, Never>?
    private var number = 0

    /// Cancels the current work and starts other work.
    ///
    /// - Parameter body: The work. `isCurrent` is false once it was cancelled or replaced; its result must be ignored
    ///   then.
    func start(_ body: @escaping @MainActor (_ isCurrent: @MainActor () -> Bool) async -> Void) {
        cancel()
        let own = number
        task = Task { [weak self] in
            await body { self?.number == own && !Task.isCancelled }
        }
    }

    /// Cancels the current work.
    func cancel() {
        task?.cancel()
        if let task { cancelled = task }
        task = nil
        number += 1
    }

    /// Waits until the current work and the work that was cancelled last have ended.
    func finish() async {
        await cancelled?.value
        await task?.value
    }

    deinit { task?.cancel() }
}
