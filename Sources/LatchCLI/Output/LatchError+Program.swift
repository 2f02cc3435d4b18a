import Arguments
import LatchKit
import Terminal

/// The error codes of the program, in addition to those of the library.
extension LatchError.Code {
    /// The command line is invalid.
    static let usage = Self(rawValue: "usage")
    /// The command must ask the person, and there is no terminal.
    static let noTerminal = Self(rawValue: "no_terminal")
    /// Input from a file, a pipe or a person is invalid.
    static let invalidInput = Self(rawValue: "invalid_input")
    /// A file or standard input cannot be read.
    static let noInput = Self(rawValue: "no_input")
    /// The account has no such session on its server.
    static let sessionUnknown = Self(rawValue: "session_unknown")
    /// Standard output cannot be written.
    static let outputFailed = Self(rawValue: "output_failed")
    /// The server responded with a status other than 2xx.
    static let httpStatus = Self(rawValue: "http_status")
}

extension LatchError {
    /// Converts any error of the lower modules into one that can be printed.
    init(describing error: any Error) {
        switch error {
        case let error as ArgumentError: self.init(.usage, error.message, cause: error)
        case let error as TerminalError: self.init(Self.code(of: error), error.message, cause: error)
        case let error as Descriptor.Failure:
            self.init(.outputFailed, "Could not write to standard output: \(error).", cause: error)
        default: self.init(any: error)
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
