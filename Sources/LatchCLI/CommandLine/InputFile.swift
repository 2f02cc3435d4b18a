import CLibrary
import FoundationEssentials
import LatchKit
import Primitives
import Terminal

/// Files and standard input that a command line names.
enum InputFile {
    /// The maximum size of an input, in bytes. Larger input is a mistake.
    private static let limit = 64 << 20

    /// Reads a file. `what` names it in errors.
    static func read(_ path: String, what: String) async throws -> [UInt8] {
        do {
            // Opening a named pipe blocks until it has a writer.
            let descriptor = try await onThread {
                let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw Descriptor.Failure(number: errno) }
                return descriptor
            }
            defer { close(descriptor) }
            return try await all(of: descriptor)
        } catch let failure as Descriptor.Failure {
            throw unreadable(path, what: what, failure)
        }
    }

    /// Reads standard input to its end.
    static func standardInput() async throws -> [UInt8] {
        do {
            return try await all(of: Descriptor.input)
        } catch let failure as Descriptor.Failure {
            throw LatchError(.noInput, "Could not read standard input: \(failure).", cause: failure)
        }
    }

    /// Returns the nonempty lines without white space at both ends.
    static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    private static func all(of descriptor: Int32) async throws -> [UInt8] {
        guard let (bytes, isWhole) = try await Descriptor.read(descriptor, lineOnly: false, limit: limit) else {
            return []
        }
        guard isWhole else { throw LatchError(.invalidInput, "The input is larger than \(limit >> 20) MiB.") }
        return bytes
    }

    private static func unreadable(_ path: String, what: String, _ failure: Descriptor.Failure) -> LatchError {
        LatchError(.noInput, "Could not read \(what) '\(path.printable)': \(failure).", cause: failure)
    }
}
