/// Returns once `condition` holds, where nobody tells of it: between two looks the processor is left to what is waited for.
///
/// - Throws: What `condition` throws; `CancellationError` when the test's time limit is over.
public func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
