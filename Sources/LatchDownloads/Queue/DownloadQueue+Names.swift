public import FoundationEssentials
public import LatchKit

extension DownloadQueue {
    /// What a person's word for a task means.
    public enum Meaning: Sendable {
        /// It is this id's, of one account or several.
        case tasks([QueuedTask])
        /// It may be any of these.
        case several([DownloadTask.ID])
        /// There is none such.
        case nothing
    }

    /// The tasks that a person means: by the id that a list shows, in capitals too, or by an address or path as it was given to
    /// begin with. Without what stands behind the `?` an address means the only task at that path.
    ///
    /// - Throws: The codes of the storage, and of the secret store where an address with a query is to be known again.
    public func meaning(of word: String, account: Account.ID? = nil) async throws -> Meaning {
        // An address in other letters may be another file's.
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
            if !others.isEmpty {
                id = try await SealedQuery.id(url, try await latch.accounts.downloadKey(of: owner.id))
            }
            let tasks = try await store.tasks(id, of: owner.id)
            if !tasks.isEmpty { return .tasks(tasks) }
            if bare == url { masked.formUnion(others.map(\.task.id)) }
        }
        guard let only = masked.first else { return .nothing }
        return masked.count == 1 ? .tasks(try await store.tasks(only, of: account)) : .several(masked.sorted())
    }

    /// What an address or path means below an account's server.
    private static func path(_ word: String, at account: Account) -> String? {
        if word.hasPrefix("/") { return FileAddress.escaped(word[...]) }
        guard FileAddress.isOne(word) else { return nil }
        return (try? FileAddress(word))?.request(to: account.serverURL)
    }
}
