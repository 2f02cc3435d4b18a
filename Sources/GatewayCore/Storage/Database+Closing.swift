package import Database

extension Database {
    /// Runs `body` and closes the database, even when `body` throws.
    package func closing<Value: Sendable>(_ body: (Database) async throws -> Value) async throws -> Value {
        do {
            let value = try await body(self)
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }
}
