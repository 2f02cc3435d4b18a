import Synchronization

/// A program that runs beside the test, ended with the value.
public final class RunningProgram: Sendable {
    private struct Waiter {
        let what: String
        let isWanted: @Sendable (Substring) -> Bool
        let continuation: CheckedContinuation<String, any Error>
    }

    private struct State {
        var text = ""
        var hasEnded = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())
    private let child: ChildProcess

    /// Starts `path` with its output and errors gathered in one text.
    public init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        child = try ChildProcess(path, arguments, environment: environment, errors: .withOutput)
        child.input.close()
        let output = child.output
        BackgroundThread.start { [weak self] in
            while true {
                output.waitForBytes()
                guard let self else { return }
                if takeOutput() { return }
            }
        }
    }

    /// The system's number of the process.
    public var id: Int32 { child.id }

    /// All that the program said until now.
    public var output: String { state.withLock { $0.text } }

    /// Waits until the program has said `text`, and returns the line with it.
    ///
    /// - Throws: ``ChildProcess/Failure`` when its output ends first.
    @discardableResult
    public func line(containing text: String) async throws -> String {
        try await line("'\(text)'") { $0.contains(text) }
    }

    /// Waits until the program has said a line that is wanted, and returns it.
    ///
    /// - Throws: ``ChildProcess/Failure`` when its output ends first.
    @discardableResult
    public func line(
        _ what: String = "what was waited for", where isWanted: @escaping @Sendable (Substring) -> Bool
    ) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let now: Result<String, any Error>? = state.withLock { state in
                if let line = Self.line(of: state.text, isWanted) { return .success(line) }
                if state.hasEnded { return .failure(Self.failure(what, state.text)) }
                state.waiters.append(Waiter(what: what, isWanted: isWanted, continuation: continuation))
                return nil
            }
            if let now { continuation.resume(with: now) }
        }
    }

    /// Sends a signal, unless the program has ended.
    public func send(_ signal: Int32) {
        child.send(signal)
    }

    /// Waits for the program's end and returns its exit status, or 128 plus the signal that ended it.
    ///
    /// All that it said itself is in ``output`` then, even where a program that it started still has its pipe.
    @discardableResult
    public func waitForExit() async -> Int32 {
        let status = await child.waitForExit()
        takeOutput()
        return status
    }

    /// Takes what the program has said until now; whether that was the end.
    ///
    /// Read under the lock, so that whoever waited for the program's end finds nothing half taken.
    @discardableResult
    private func takeOutput() -> Bool {
        var isEnd = false
        let done: [(CheckedContinuation<String, any Error>, Result<String, any Error>)] = state.withLock { state in
            while !state.hasEnded, let bytes = child.output.readAtOnce() {
                state.text += String(decoding: bytes, as: UTF8.self)
                state.hasEnded = bytes.isEmpty
            }
            isEnd = state.hasEnded
            var answered: [(CheckedContinuation<String, any Error>, Result<String, any Error>)] = []
            state.waiters.removeAll { waiter in
                if let line = Self.line(of: state.text, waiter.isWanted) {
                    answered.append((waiter.continuation, .success(line)))
                } else if isEnd {
                    answered.append((waiter.continuation, .failure(Self.failure(waiter.what, state.text))))
                } else {
                    return false
                }
                return true
            }
            return answered
        }
        for (continuation, result) in done { continuation.resume(with: result) }
        return isEnd
    }

    /// Only whole lines count: half a port number is none.
    private static func line(of text: String, _ isWanted: (Substring) -> Bool) -> String? {
        guard let end = text.lastIndex(of: "\n") else { return nil }
        return text[..<end].split(separator: "\n").first(where: isWanted).map(String.init)
    }

    private static func failure(_ wanted: String, _ text: String) -> ChildProcess.Failure {
        ChildProcess.Failure("The program ended without saying \(wanted). It said: \(text)")
    }
}
