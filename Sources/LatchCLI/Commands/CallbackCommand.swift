import FoundationEssentials
import LatchKit

/// `latch callback LINK`: passes on a link of a custom scheme from the desktop. No help lists it, because people do not
/// type it.
struct CallbackCommand {
    let environment: [String: String]

    /// Passes the link to the sign-in that waits for it.
    func run(_ words: [String]) -> Int32 {
        let console = Console(isJSON: false, environment: environment)
        do {
            guard words.count == 1 else {
                throw LatchError(.usage, "'latch callback' takes one argument: a link from the desktop.")
            }
            try CallbackLink(words[0]).deliver(folders: Folders(environment: environment))
            return ExitCode.done.rawValue
        } catch {
            let failure = LatchError(describing: error)
            console.fail(failure, hint: nil)
            return ExitCode(for: failure.code).rawValue
        }
    }
}
