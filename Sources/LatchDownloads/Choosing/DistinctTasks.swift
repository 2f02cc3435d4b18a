import Database
import FoundationEssentials
import LatchKit

/// Lets each task through once, however often it is found: an album may be named twice, and a picture be in several.
///
/// Ids of pictures are kept as 16 bytes: a library has a million.
public struct DistinctTasks: Sendable {
    private struct Name: Hashable {
        var account: Account.ID
        var id: String
    }

    private var pictures: Set<UUID> = []
    private var others: Set<Name> = []

    /// Lets the first of each through.
    public init() {}

    /// Those that have not come before.
    public mutating func fresh(_ tasks: [DownloadTask]) -> [DownloadTask] {
        tasks.filter { task in
            UUID(text: task.id).map { pictures.insert($0).inserted }
                ?? others.insert(Name(account: task.account, id: task.id)).inserted
        }
    }
}
