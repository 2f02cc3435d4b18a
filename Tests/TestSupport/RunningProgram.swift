import Synchronization

/// A program that runs in parallel to the test. It is killed when the value is destroyed.
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

    /// Starts `path` with a short `input`, and collects its standard output and standard error in one text.
    public init(_ path: String, _ arguments: [String], environment: [String: String], input: String = "") throws {
        child = try ChildProcess(path, arguments, environment: environment, errors: .withOutput)
        child.input.write(Array(input.utf8))
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

    /// The process id.
    public var id: Int32 { child.id }

    /// The output so far.
    public var output: String { state.withLock { $0.text } }

    /// Waits for output with `text` and returns the line that contains it.
    ///
    /// - Throws: ``ChildProcess/Failure`` when the output ends first.
    @discardableResult
    public func line(containing text: String) async throws -> String {
        try await line("'\(text)'") { $0.contains(text) }
    }

    /// Waits for a matching line of output and returns it.
    ///
    /// - Throws: ``ChildProcess/Failure`` when the output ends first.
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

    /// Sends a signal, if the program is still running.
    public func send(_ signal: Int32) {
        child.send(signal)
    }

    /// Waits for the program to end. Returns its exit status, or 128 plus the number of the signal that ended it.
    ///
    /// When it returns, ``output`` contains all output of the program, even if one of its child processes still holds
    /// the pipe.
    @discardableResult
    public func waitForExit() async -> Int32 {
        let status = await child.waitForExit()
        takeOutput()
        return status
    }

    /// Reads the available output. Returns whether the output has ended.
    ///
    /// The read happens under the lock, so that a caller that waited for the end of the program never sees partial
    /// output.
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

    /// Returns the first matching line. Incomplete lines are not considered, because they may contain a partial value
    /// such as half of a port number.
    private static func line(of text: String, _ isWanted: (Substring) -> Bool) -> String? {
        guard let end = text.lastIndex(of: "\n") else { return nil }
        return text[..<end].split(separator: "\n").first(where: isWanted).map(String.init)
    }

    private static func failure(_ wanted: String, _ text: String) -> ChildProcess.Failure {
        ChildProcess.Failure("The program ended without saying \(wanted). It said: \(text)")
    }
}
