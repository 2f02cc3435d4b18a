/// Determines which of a person's keys the account uses, if that is certain.
///
/// Servers do not say which key sent a request. If the list has only one key, it is that one. Otherwise it is the key
/// whose last use changes with each request, provided that no other key's does. The result is never a guess, because a
/// wrong one could later revoke another program's key.
///
/// Source: RM-8; docs/protocols/relate-mail.md, List of keys.
struct CurrentKey: Sendable {
    let dialect: any KeyDialect
    let server: ServerAddress
    let ask: RequestSender

    /// Returns the key. Nil when it cannot be determined.
    ///
    /// - Throws: `CancellationError` only.
    func find() async throws(CancellationError) -> RemoteKey? {
        do {
            let first = try await list()
            if first.count == 1 { return first[0] }
            let second = try await list()
            guard let moved = Self.moved(from: first, to: second) else { return nil }
            // Another program may have used its key between the first two lists, so the result is confirmed once more.
            guard Self.moved(from: second, to: try await list())?.id == moved.id else { return nil }
            return moved
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Returns the only key that was used between two lists. Nil when there is none or more than one.
    static func moved(from before: [RemoteKey], to after: [RemoteKey]) -> RemoteKey? {
        let uses = Dictionary(before.map { ($0.id, $0.lastUsed) }) { first, _ in first }
        let moved = after.filter { key in
            guard let now = key.lastUsed, let known = uses[key.id] else { return false }
            return known.map { now > $0 } ?? true
        }
        return moved.count == 1 ? moved[0] : nil
    }

    private func list() async throws -> [RemoteKey] {
        try dialect.keys(from: try await ask(dialect.keyList), of: server)
    }
}
