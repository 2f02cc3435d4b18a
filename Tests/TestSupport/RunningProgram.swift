import Foundation
import Synchronization

/// A program that runs beside the test, ended with the value.
public final class RunningProgram: Sendable {
    private struct State {
        var text = ""
        var hasEnded = false
        var waiters: [(text: String, continuation: CheckedContinuation<String, any Error>)] = []
    }

    /// What went wrong, with all that the program said.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String

        /// Makes a failure.
        public init(description: String) {
            self.description = description
        }
    }

    private let state = Mutex(State())
    private let process = Process()
    private let exit = Mutex<(status: Int32?, waiters: [CheckedContinuation<Int32, Never>])>((nil, []))

    /// Starts `path` with its output and errors gathered in one text.
    public init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [weak self] in self?.ended($0) }
        try process.run()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            while true {
                let data = handle.availableData
                guard let self else { return }
                take(String(decoding: data, as: UTF8.self), isEnd: data.isEmpty)
                if data.isEmpty { return }
            }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The system's number of the process.
    public var id: Int32 { process.processIdentifier }

    /// All that the program said until now.
    public var output: String { state.withLock { $0.text } }

    /// Waits until the program has said `text`, and returns the line with it.
    ///
    /// - Throws: ``Failure`` when its output ends first.
    @discardableResult
    public func line(containing text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let now: Result<String, any Error>? = state.withLock { state in
                if let line = Self.line(of: state.text, containing: text) { return .success(line) }
                if state.hasEnded { return .failure(Self.failure(text, state.text)) }
                state.waiters.append((text, continuation))
                return nil
            }
            if let now { continuation.resume(with: now) }
        }
    }

    /// Sends a signal.
    public func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for the program's end and returns its exit status, or 128 plus the signal that ended it.
    @discardableResult
    public func waitForExit() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = exit.withLock { exit in
                if exit.status == nil { exit.waiters.append(continuation) }
                return exit.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    private func ended(_ process: Process) {
        let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
        let waiters = exit.withLock { exit in
            defer { exit.waiters = [] }
            exit.status = status
            return exit.waiters
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }

    private func take(_ text: String, isEnd: Bool) {
        let done: [(CheckedContinuation<String, any Error>, Result<String, any Error>)] = state.withLock { state in
            state.text += text
            state.hasEnded = isEnd
            var answered: [(CheckedContinuation<String, any Error>, Result<String, any Error>)] = []
            state.waiters.removeAll { waiter in
                if let line = Self.line(of: state.text, containing: waiter.text) {
                    answered.append((waiter.continuation, .success(line)))
                } else if isEnd {
                    answered.append((waiter.continuation, .failure(Self.failure(waiter.text, state.text))))
                } else {
                    return false
                }
                return true
            }
            return answered
        }
        for (continuation, result) in done { continuation.resume(with: result) }
    }

    /// Only whole lines count: half a port number is none.
    private static func line(of text: String, containing wanted: String) -> String? {
        guard let end = text.lastIndex(of: "\n") else { return nil }
        return text[..<end].split(separator: "\n").first { $0.contains(wanted) }.map(String.init)
    }

    private static func failure(_ wanted: String, _ text: String) -> Failure {
        Failure(description: "The program ended without saying '\(wanted)'. It said: \(text)")
    }
}
