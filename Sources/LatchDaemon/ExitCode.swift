import CommandLineTool

/// The exit codes of `latchd`.
///
/// Source: `sysexits.h`.
enum ExitCode: Int32, ExitCodeTable {
    case done = 0
    case failed = 1
    case usage = 64
    case badInput = 65
    case notFound = 66
    case unavailable = 69
    case cannotCreate = 73
    case input = 74
    case tryLater = 75
    case configuration = 78

    /// The meaning of the exit code, in one line.
    var summary: String {
        switch self {
        case .done: "done; for serve: stopped by a signal, all requests answered"
        case .failed: "a failure not listed below"
        case .usage: "the command line is invalid, or a terminal is required"
        case .badInput: "an e-mail address, a password, a setting or a network to ban is invalid"
        case .notFound:
            "no such person, session, key, client, ban, configuration or database, or standard input is empty"
        case .unavailable: "an address to listen on, or the database, is not available"
        case .cannotCreate: "the e-mail address is already in use"
        case .input: "the database or a file cannot be read or written"
        case .tryLater: "another program has locked the database: try again"
        case .configuration: "the configuration has mistakes, or its certificate cannot be used"
        }
    }
}
