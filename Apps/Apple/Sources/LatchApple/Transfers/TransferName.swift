// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import Foundation

/// The name of a transfer of the system, which finds the task of the queue again after the app was started anew.
///
/// As text it is the account's id, a slash, and the task's id: `8F3A…-…/asset-1`. The id of a task is unique only within
/// its account.
///
/// Source: https://developer.apple.com/documentation/foundation/urlsessiontask/taskdescription
public struct TransferName: Sendable, Hashable, CustomStringConvertible {
    /// The account whose server has the file.
    public let account: UUID
    /// The id of the task.
    public let task: String

    /// Creates the name of a task's transfer.
    public init(account: UUID, task: String) { (self.account, self.task) = (account, task) }

    /// Reads a name. Nil when the text is not one, so that transfers of another version are left alone.
    public init?(_ text: String?) {
        guard let text, let slash = text.firstIndex(of: "/"), let account = UUID(uuidString: String(text[..<slash]))
        else { return nil }
        let task = String(text[text.index(after: slash)...])
        guard !task.isEmpty else { return nil }
        (self.account, self.task) = (account, task)
    }

    /// The name as text.
    public var description: String { "\(account.uuidString)/\(task)" }

    /// A name for the received file, without slashes.
    var filename: String {
        account.uuidString + "-" + (task.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "file")
    }
}
