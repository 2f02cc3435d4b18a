import Database
import FoundationEssentials
import LatchKit

/// Removes repeated tasks: an album may be named twice, and a picture may be in several albums.
///
/// Ids of pictures are kept as 16 bytes each, because a library may have a million of them.
public struct DistinctTasks: Sendable {
    private struct Name: Hashable {
        var account: Account.ID
        var id: String
    }

    private var pictures: Set<UUID> = []
    private var others: Set<Name> = []

    /// Creates a filter that has seen no tasks.
    public init() {}

    /// Remembers the tasks, and returns those that were not passed before.
    public mutating func insertNew(_ tasks: [DownloadTask]) -> [DownloadTask] {
        tasks.filter { task in
            UUID(text: task.id).map { pictures.insert($0).inserted }
                ?? others.insert(Name(account: task.account, id: task.id)).inserted
        }
    }
}
