/// Finds out which of a person's keys is the one that asks, as far as that can be told for sure.
///
/// No server says it. The only key of a list is the one that asked for the list; of several it is the one whose last use moves
/// each time it is used, if only that one's does. A guess would end another program's key one day, so there is none.
///
/// Source: RM-8; contract of Relate Mail, endpoint table.
struct CurrentKey: Sendable {
    let dialect: any KeyDialect
    let server: ServerAddress
    let ask: KeyQuestion

    /// The key; nil when it cannot be told.
    ///
    /// - Throws: `CancellationError` only.
    func find() async throws(CancellationError) -> RemoteKey? {
        do {
            let first = try await list()
            if first.count == 1 { return first[0] }
            let second = try await list()
            guard let moved = Self.moved(from: first, to: second) else { return nil }
            guard Self.moved(from: second, to: try await list())?.id == moved.id else { return nil }
            return moved
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// The one key that was used between two lists; nil when none or several were.
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
