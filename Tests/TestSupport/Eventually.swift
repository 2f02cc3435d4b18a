/// Polls `condition` until it is true, for conditions that send no notification. It sleeps between two checks, to leave
/// the processor to the observed code.
///
/// - Throws: The error of `condition`; `CancellationError` when the test's time limit is exceeded.
public func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
