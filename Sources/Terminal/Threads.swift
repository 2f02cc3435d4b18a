import Primitives

/// Runs what may wait for a person or a pipe on a thread of its own.
///
/// - Throws: What `body` throws; ``Descriptor/Failure`` when the system has no thread left.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do throws(SystemThread.Failure) {
            try SystemThread.detach(blocksSignals: false) { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: Descriptor.Failure(number: error.number))
        }
    }
}
