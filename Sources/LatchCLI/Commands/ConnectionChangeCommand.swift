import Arguments
import LatchKit

/// Changes how an account's server is connected to, for `latch tls` and `latch headers`. Tries the change first, unless
/// `--force` is given.
struct ConnectionChangeCommand {
    static let flag = Flag("force", help: "Keep the change also when the server cannot be reached that way now.")

    let isForced: Bool
    let context: CommandContext

    func change(
        _ account: Account, _ body: (inout ConnectionOptions) async throws -> Void
    ) async throws -> ConnectionChange {
        do {
            let kit = try await context.latchstring()
            let change = try await kit.changeConnection(of: account, isForced: isForced, body)
            if let failure = change.trial.failure {
                context.console.warn("Kept, though the server was not reached that way. \(failure.message)")
            }
            return change
        } catch let error as LatchError where error.cause is LatchError {
            context.advise(
                "Keep it all the same: --force. See where it fails: latch doctor \(account.serverURL.url.forShell)")
            throw error
        }
    }
}
