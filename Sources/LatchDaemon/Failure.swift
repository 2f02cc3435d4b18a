import Arguments
import Database
import GatewayConfiguration
import GatewayCore
import HTTPServer
import LatchGateway
import LatchSandbox
import Terminal

/// The reason why a command failed: one sentence and the exit code, for errors of any module.
struct Failure: Error {
    let code: ExitCode
    let message: String
    /// Whether the message already begins with the program's name.
    var namesProgram = false

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as ArgumentError:
            self.init(.usage, error.message)
            namesProgram = true
        case let error as ConfigurationError:
            self.init(error.code == .noFile ? .notFound : .configuration, Self.message(of: error))
        case let error as DatabaseError: self.init(Self.code(of: error), error.message)
        case let error as GatewayError: self.init(Self.code(of: error), error.message)
        case let error as HTTPServerError:
            self.init(error.code == .certificate ? .configuration : .unavailable, error.message)
        case let error as SandboxError: self.init(Self.code(of: error), error.message)
        case let error as TerminalError: self.init(Self.code(of: error), error.message)
        case let error as Descriptor.Failure: self.init(.input, "Could not write to standard output: \(error).")
        default: self.init(.failed, "Unexpected error: \(error).")
        }
    }

    /// Returns one mistake as it is, and several as a list below a line with their number.
    private static func message(of error: ConfigurationError) -> String {
        guard error.mistakes.count > 1 else { return error.message }
        let lines = error.mistakes.map { "  \($0)" }
        return (["The configuration has \(lines.count) mistakes:"] + lines).joined(separator: "\n")
    }

    private static func code(of error: DatabaseError) -> ExitCode {
        switch error.code {
        case .locked, .interrupted: .tryLater
        case .unavailable: .unavailable
        default: .input
        }
    }

    private static func code(of error: GatewayError) -> ExitCode {
        switch error.code {
        case .unknownPerson, .unknownSession, .unknownKey, .unknownIdentity, .unknownClient, .unknownBan: .notFound
        case .personExists: .cannotCreate
        case .invalidEmail, .weakPassword, .invalidBan: .badInput
        case .busy, .closed: .tryLater
        case .file, .database: .input
        default: .failed
        }
    }

    private static func code(of error: SandboxError) -> ExitCode {
        switch error.code {
        case .notLoopback, .invalidPort: .usage
        case .folder: .input
        default: .failed
        }
    }

    private static func code(of error: TerminalError) -> ExitCode {
        switch error.code {
        case .noInput: .notFound
        case .invalidInput: .badInput
        default: .usage
        }
    }
}
