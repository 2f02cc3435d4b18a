import FoundationEssentials
import LatchKit

/// `latch callback LINK`: what the desktop calls with a link of a custom scheme. It is in no help, for people do not type it.
struct CallbackCommand {
    let environment: [String: String]

    /// Hands the link to the sign-in that waits for it.
    func run(_ words: [String]) -> Int32 {
        let console = Console(isJSON: false, environment: environment)
        do {
            guard words.count == 1 else {
                throw LatchError(.usage, "'latch callback' takes one link, from the desktop.")
            }
            try CallbackLink(words[0]).deliver(folders: Folders(environment: environment))
            return ExitCode.done.rawValue
        } catch {
            let failure = LatchError(telling: error)
            console.fail(failure, hint: nil)
            return ExitCode(for: failure.code).rawValue
        }
    }
}
