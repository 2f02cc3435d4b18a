/// Runs `body`, and always runs `end` afterwards. Unlike a `defer` block, `end` can be asynchronous.
///
/// - Throws: The error of `body`, after `end` has returned.
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
