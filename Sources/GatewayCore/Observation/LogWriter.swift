import CLibrary
import Dispatch
import Synchronization

/// Writes finished lines to a file descriptor, or another destination, on its own dispatch queue.
///
/// Writing a line only appends it to a buffer, so event loops never wait. When the reader of the descriptor is so slow
/// that the buffer is full, lines are dropped and counted. The next line that is accepted is preceded by a notice with
/// the number of dropped lines.
///
/// Source: `write(2)`; `open(2)` for `O_APPEND`.
package final class LogWriter: Sendable {
    private struct State {
        package var buffer: [UInt8] = []
        var isScheduled = false
        var dropped = 0
        var droppedInAll = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "latchd.log", qos: .utility)
    private let capacity: Int
    private let sink: @Sendable ([UInt8]) -> Void
    private let close: @Sendable () -> Void

    /// Creates a writer that passes whole lines to `sink`, several at a time, in order and never in concurrent calls.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of buffered bytes. 1 MiB by default.
    ///   - sink: Writes the lines. It may block.
    package convenience init(capacity: Int = 1 << 20, sink: @escaping @Sendable ([UInt8]) -> Void) {
        self.init(capacity: capacity, sink: sink, close: {})
    }

    private init(capacity: Int, sink: @escaping @Sendable ([UInt8]) -> Void, close: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.sink = sink
        self.close = close
    }

    deinit {
        // No other write is in progress, because a scheduled write holds a reference. Waiting for the queue could be a
        // deadlock, because this code may run on the queue.
        drain()
        close()
    }

    /// Returns a writer to standard error.
    package static func standardError() -> LogWriter {
        LogWriter { Self.write($0, to: STDERR_FILENO) }
    }

    /// Returns a writer that appends to a file. The file is created with mode 0600 if it does not exist.
    ///
    /// - Throws: ``GatewayError/Code/file``, with the path and the reason, when the file cannot be opened.
    package static func appending(to path: String) throws(GatewayError) -> LogWriter {
        let descriptor = openForAppending(path)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw GatewayError(
                .file,
                "Could not open the log file '\(path)' for appending: \(reason). Make its folder writable, or choose "
                    + "another file.")
        }
        return LogWriter(
            capacity: 1 << 22, sink: { Self.write($0, to: descriptor) }, close: { _ = CLibrary.close(descriptor) })
    }

    /// The number of lines that were dropped since the start.
    package var droppedLines: Int { state.withLock { $0.droppedInAll } }

    /// Appends a line, which must end with a line feed. Returns immediately.
    package func write(_ line: [UInt8]) {
        let mustSchedule = state.withLock { state in
            guard state.buffer.count + line.count <= capacity else {
                state.dropped += 1
                state.droppedInAll += 1
                return false
            }
            if state.dropped > 0 {
                state.buffer.append(contentsOf: Self.notice(state.dropped, beside: line))
                state.dropped = 0
            }
            state.buffer.append(contentsOf: line)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { [self] in drain() } }
    }

    /// Returns a notice of dropped lines in the format of the next line, so that a JSON log contains only JSON.
    private static func notice(_ dropped: Int, beside line: [UInt8]) -> [UInt8] {
        let text =
            line.first == UInt8(ascii: "{")
            ? #"{"level":"warning","message":"Log lines were dropped here.","lines":\#(dropped)}"#
            : "(\(dropped) log lines were dropped here)"
        return Array((text + "\n").utf8)
    }

    /// Waits until every line so far is written.
    package func flush() {
        queue.sync { drain() }
    }

    private func drain() {
        while true {
            let lines = state.withLock { state in
                defer { state.buffer = [] }
                if state.buffer.isEmpty { state.isScheduled = false }
                return state.buffer
            }
            if lines.isEmpty { return }
            sink(lines)
        }
    }

    private static func openForAppending(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    }

    /// Writes bytes to a descriptor. If the descriptor fails permanently, the bytes are lost, because there is no other
    /// place to report the failure.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe CLibrary.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&waiting, 1, 1_000)
            } else if !(count < 0 && errno == EINTR) {
                return
            }
        }
    }
}
