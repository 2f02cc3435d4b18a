import Arguments
import LatchKit
import Terminal

/// The program's own failures, beside the library's.
extension LatchError.Code {
    /// The command line cannot be followed.
    static let usage = Self(rawValue: "usage")
    /// Something must be asked, and there is no terminal to ask at.
    static let noTerminal = Self(rawValue: "no_terminal")
    /// What came from a file, a pipe or a person cannot be used.
    static let invalidInput = Self(rawValue: "invalid_input")
    /// A file or standard input cannot be read.
    static let noInput = Self(rawValue: "no_input")
    /// The account has no such session on its server.
    static let sessionUnknown = Self(rawValue: "session_unknown")
    /// Standard output cannot be written.
    static let outputFailed = Self(rawValue: "output_failed")
    /// Nothing goes on without this terminal.
    static let backgroundFailed = Self(rawValue: "background_failed")
    /// Nothing that was foreseen.
    static let unexpected = Self(rawValue: "unexpected")
    /// The server answered a request with another status than 2xx.
    static let httpStatus = Self(rawValue: "http_status")
}

extension LatchError {
    /// Any error of the modules below as one that can be printed.
    init(telling error: any Error) {
        switch error {
        case let error as LatchError: self = error
        case let error as ArgumentError: self.init(.usage, error.message, cause: error)
        case let error as TerminalError: self.init(Self.code(of: error), error.message, cause: error)
        case is CancellationError: self.init(.cancelled, "Stopped before it was done; nothing was left half done.")
        default: self.init(.unexpected, "Something unexpected went wrong: \(error).", cause: error)
        }
    }

    private static func code(of error: TerminalError) -> Code {
        switch error.code {
        case .noTerminal: .noTerminal
        case .noInput: .noInput
        case .invalidInput: .invalidInput
        case .usage: .usage
        default: .unexpected
        }
    }
}
