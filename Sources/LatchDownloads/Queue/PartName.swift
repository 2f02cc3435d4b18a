import Crypto
import Database
import FoundationEssentials
import LatchKit

/// What parts are called. Other clients may have theirs in the same folder: each name begins with its queue's own
/// digits.
///
/// `OWNER-TASK.part`: 8 digits of the queue's, 24 of the task's. That takes four entries in a folder of FAT; each 13
/// letters more would take a further one.
struct PartName: Sendable {
    private let prefix: String

    /// The names of the parts of one queue.
    init(owner: String) { prefix = owner + "-" }

    /// The part of a task.
    func of(_ account: UUID, _ id: String) -> String { "\(prefix)\(Self.stem(account, id, 24)).part" }

    /// The part that a live photo's two become.
    func joined(_ account: UUID, _ id: String) -> String { "\(prefix)\(Self.stem(account, id, 24)).motion.part" }

    /// Whether a part is this queue's.
    func isOwn(_ name: String) -> Bool { name.hasPrefix(prefix) }

    // MARK: - As earlier versions called them

    /// A task's part without its owner. Nobody else's is called so: an account's id is random.
    static func old(_ account: UUID, _ id: String) -> String { stem(account, id, 32) + ".part" }

    /// The same of the part that a live photo's two become.
    static func oldJoined(_ account: UUID, _ id: String) -> String { stem(account, id, 32) + ".motion.part" }

    private static func stem(_ account: UUID, _ id: String, _ digits: Int) -> String {
        String(SHA256.digest("\(account.text)/\(id)").hexadecimal.prefix(digits))
    }
}
