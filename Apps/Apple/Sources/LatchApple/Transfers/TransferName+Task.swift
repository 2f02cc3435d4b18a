// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import LatchDownloads
import LatchKit

extension TransferName {
    /// Creates the name of a task's transfer.
    public init(_ task: DownloadTask) { self.init(account: task.account, task: task.id) }
}
