import Arguments
import LatchKit

/// Changes how an account's server is connected to, for `latch tls` and `latch headers`. Tries the change first, unless
/// `--force` is given.
struct ConnectionChangeCommand {
    static let flag = Flag("force", help: "Store the change even if the server cannot be reached with it now.")

    let isForced: Bool
    let context: CommandContext

    func change(
        _ account: Account, _ body: (inout ConnectionOptions) async throws -> Void
    ) async throws -> ConnectionChange {
        do {
            let kit = try await context.client()
            let change = try await kit.changeConnection(of: account, isForced: isForced, body)
            if let failure = change.trial.failure {
                context.console.warn(
                    "The change was stored, although the server was not reached with it. \(failure.message)")
            }
            return change
        } catch let error as LatchError where error.cause is LatchError {
            context.setHint(
                "To store it anyway: --force. To see where it fails: latch doctor \(account.serverURL.url.forShell)")
            throw error
        }
    }
}
