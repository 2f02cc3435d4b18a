import Primitives

/// Runs blocking disk operations, each on a thread that ends afterwards.
enum FlushThread {
    static func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async -> Outcome {
        do {
            return try await SystemThread.run(body)
        } catch {
            // When the system cannot start a thread, the work runs on this one.
            return body()
        }
    }
}
