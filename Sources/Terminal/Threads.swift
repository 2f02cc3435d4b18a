import Glibc

/// Runs what may wait for a person or a pipe on a thread of its own.
///
/// - Throws: What `body` throws; ``Descriptor/Failure`` when the system has no thread left.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let status = detachThread {
            continuation.resume(with: Result { try body() })
        }
        if status != 0 { continuation.resume(throwing: Descriptor.Failure(number: status)) }
    }
}

/// Runs `body` on a new thread that nobody waits for.
///
/// - Returns: 0, or the error's number when the system has no thread left.
///
/// Source: `pthread_create(3)`.
func detachThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
        &thread, nil,
        { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
            return nil
        }, work.toOpaque())
    guard status == 0 else {
        work.release()
        return status
    }
    pthread_detach(thread)
    return 0
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
