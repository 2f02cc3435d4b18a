import Primitives

/// Runs `body`, which may wait for a person or a pipe, on its own thread.
///
/// - Throws: The error of `body`, or ``Descriptor/Failure`` when the system cannot start a thread.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    do {
        return try await SystemThread.run(blocksSignals: false, body)
    } catch let error as SystemThread.Failure {
        throw Descriptor.Failure(number: error.number)
    }
}
