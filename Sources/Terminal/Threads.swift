import Primitives

/// Runs `body`, which may wait for a person or a pipe, on its own thread.
///
/// - Throws: The error of `body`, or ``Descriptor/Failure`` when the system cannot start a thread.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do throws(SystemThread.Failure) {
            try SystemThread.detach(blocksSignals: false) { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: Descriptor.Failure(number: error.number))
        }
    }
}
