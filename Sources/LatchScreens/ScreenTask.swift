/// The work that a screen does at present. Starting other work cancels it, so that a late result changes nothing.
@MainActor
final class ScreenTask {
    private var task: Task<Void, Never>?
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
        task = nil
        number += 1
    }

    /// Waits until the current work has ended.
    func finish() async { await task?.value }

    deinit { task?.cancel() }
}
