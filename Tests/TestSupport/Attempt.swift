/// Runs `body`, and `end` after it whatever happened: what takes its time to end cannot wait in a `defer`.
///
/// - Throws: What `body` throws, once `end` has returned.
public func attempt<Result>(
    _ body: () async throws -> Result, finally end: () async -> Void
) async throws -> Result {
    do {
        let result = try await body()
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}
