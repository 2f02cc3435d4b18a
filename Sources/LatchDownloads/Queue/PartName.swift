import Crypto
import Database
import FoundationEssentials
import LatchKit

/// The names of part files. Other clients may keep parts in the same folder, so each name begins with digits that
/// identify its queue.
///
/// The form is `OWNER-TASK.part`, with 8 digits for the queue and 24 for the task. On FAT such a name takes four
/// directory entries, and every 13 further characters take another one.
struct PartName: Sendable {
    private let prefix: String

    /// Creates the names of the parts of one queue.
    init(owner: String) { prefix = owner + "-" }

    /// Returns the name of a task's part.
    func of(_ account: UUID, _ id: String) -> String { "\(prefix)\(Self.stem(account, id, digits: 24)).part" }

    /// Returns the name of the part into which both parts of a live photo are joined.
    func joined(_ account: UUID, _ id: String) -> String {
        "\(prefix)\(Self.stem(account, id, digits: 24)).motion.part"
    }

    /// Whether a part belongs to this queue.
    func isOwn(_ name: String) -> Bool { name.hasPrefix(prefix) }

    // MARK: - As earlier versions called them

    /// Returns the name of a task's part without the owner. It is unique because an account's id is random.
    static func old(_ account: UUID, _ id: String) -> String { stem(account, id, digits: 32) + ".part" }

    /// Returns the old name of the part into which both parts of a live photo are joined.
    static func oldJoined(_ account: UUID, _ id: String) -> String { stem(account, id, digits: 32) + ".motion.part" }

    private static func stem(_ account: UUID, _ id: String, digits: Int) -> String {
        String(SHA256.digest("\(account.text)/\(id)").hexadecimal.prefix(digits))
    }
}
