public import FoundationEssentials
public import LatchKit

extension DownloadQueue {
    /// The tasks that match a word given by a person.
    public enum TaskMatch: Sendable {
        /// The word is the id of these tasks, which may belong to several accounts.
        case tasks([QueuedTask])
        /// The word is ambiguous; it may refer to any of these ids.
        case several([DownloadTask.ID])
        /// No task matches.
        case nothing
    }

    /// Finds the tasks that a person refers to. The word is an id as shown in a list, or an address or path as it was
    /// given. The case of an asset's id does not matter. An address without its query matches when there is only one
    /// task at its path.
    ///
    /// - Throws: A `LatchError` with a `storage` code, or with a code of the secret store when a query must be
    ///   compared.
    public func tasks(matching word: String, account: Account.ID? = nil) async throws -> TaskMatch {
        // Only an asset's id ignores case. An address in another case may be another file.
        for id in ImmichAssetReading.isID(word) ? [word, word.lowercased()] : [word] {
            let tasks = try await store.tasks(id, of: account)
            if !tasks.isEmpty { return .tasks(tasks) }
        }
        var masked: Set<DownloadTask.ID> = []
        for owner in try await latch.accounts.accounts() where account.map({ $0 == owner.id }) ?? true {
            guard let path = Self.path(word, at: owner), let url = try? owner.serverURL.url(of: path) else { continue }
            let bare = String(url.prefix { $0 != "?" })
            if let picture = ImmichAssetReading.pictureID(at: bare) {
                let tasks = try await store.tasks(picture.lowercased(), of: owner.id)
                if !tasks.isEmpty { return .tasks(tasks) }
            }
            let others = try await store.tasks(at: bare, of: owner.id)
            var id = url
            // The key is read only when a query must be compared, because the secret store may refuse it.
            if !others.isEmpty {
                id = try await SealedQuery.id(url, try await latch.accounts.sealingKey(of: owner.id))
            }
            let tasks = try await store.tasks(id, of: owner.id)
            if !tasks.isEmpty { return .tasks(tasks) }
            if bare == url { masked.formUnion(others.map(\.task.id)) }
        }
        guard let only = masked.first else { return .nothing }
        return masked.count == 1 ? .tasks(try await store.tasks(only, of: account)) : .several(masked.sorted())
    }

    /// Returns the request target of an address or path, relative to an account's server.
    private static func path(_ word: String, at account: Account) -> String? {
        if word.hasPrefix("/") { return FileAddress.escaped(word[...]) }
        guard FileAddress.isAddress(word) else { return nil }
        return (try? FileAddress(word))?.request(to: account.serverURL)
    }
}
