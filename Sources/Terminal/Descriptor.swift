import CLibrary
import Synchronization

/// Reads and writes open file descriptors. Reads that may block run outside the shared thread pool.
package enum Descriptor {
    /// An error of a system call.
    package struct Failure: Error, CustomStringConvertible {
        /// The error number (`errno`).
        package let number: Int32

        /// The error number for writing to a pipe without a reader.
        package static let brokenPipe = EPIPE

        /// Creates a failure with an error number.
        package init(number: Int32) {
            self.number = number
        }

        /// The system's description of the error.
        package var description: String { String(cString: strerror(number)) }
    }

    /// Standard input.
    package static let input = STDIN_FILENO
    /// Standard output.
    package static let output = STDOUT_FILENO
    /// Standard error.
    package static let errors = STDERR_FILENO

    /// Returns whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Returns whether a descriptor is a terminal that understands escape sequences, so that its lines can be overwritten.
    package static func canOverwrite(_ descriptor: Int32, environment: [String: String]) -> Bool {
        isTerminal(descriptor) && environment["TERM"] != "dumb"
    }

    /// Returns the width of a terminal in columns. Nil when it is unknown.
    ///
    /// Source: `ioctl_tty(2)`, `TIOCGWINSZ`.
    package static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns the height of a terminal in lines. Nil when it is unknown.
    ///
    /// Source: `ioctl_tty(2)`, `TIOCGWINSZ`.
    package static func lines(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }

    /// Writes all bytes. Waits for the reader without a timeout, or with a timeout of one second per write after
    /// ``limitWaits()``.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try waitForReader(of: descriptor)
            let count = rest.prefix(piece).withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                throw Failure(number: errno)
            }
        }
    }

    /// The number of bytes per `write` call. A pipe that is ready for writing accepts them without blocking.
    ///
    /// Source: pipe(7), `PIPE_BUF`.
    private static let piece = 4_096

    /// Prevents a reader that has stopped reading from delaying the end of the program. After this call each write
    /// waits for the reader for at most one second. Output that is not read in time is dropped, and so is all later
    /// output to that descriptor.
    static func limitWaits() { limitPipe?.wake() }

    private static let limitPipe = try? WakePipe()
    /// The descriptors that were not read within a second after ``limitWaits()``, one bit each.
    private static let abandoned = Atomic<UInt32>(0)

    private static func waitForReader(of descriptor: Int32) throws(Failure) {
        let bit: UInt32 = (0..<32).contains(descriptor) ? 1 << UInt32(descriptor) : 0
        var isLimited = false
        while true {
            guard abandoned.load(ordering: .relaxed) & bit == 0 else { throw Failure(number: EAGAIN) }
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: isLimited ? -1 : limitPipe?.reader ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waiting, 2, isLimited ? 1_000 : -1)
            if count < 0, errno == EINTR { continue }
            // After an error or hang-up the write itself returns the error.
            if count < 0 || waiting[0].revents != 0 { return }
            if isLimited { abandoned.bitwiseOr(bit, ordering: .relaxed) }
            isLimited = true
        }
    }

    /// Reads at most `limit` bytes. When `lineOnly` is true, reads up to the first newline, which is not included.
    ///
    /// - Returns: The bytes, and whether a newline or the end of input ended them. Nil when the input ended before the
    ///   first byte.
    /// - Throws: `CancellationError` when the task is cancelled, ``Failure`` of `read(2)`.
    package static func read(
        _ descriptor: Int32, lineOnly: Bool, limit: Int
    ) async throws -> (bytes: [UInt8], isWhole: Bool)? {
        let stop = try WakePipe()
        return try await withTaskCancellationHandler {
            try await onThread {
                try blockingRead(descriptor, stop: stop, lineOnly: lineOnly, limit: limit)
            }
        } onCancel: {
            stop.wake()
        }
    }

    private static func blockingRead(
        _ descriptor: Int32, stop: WakePipe, lineOnly: Bool, limit: Int
    ) throws -> (bytes: [UInt8], isWhole: Bool)? {
        var bytes: [UInt8] = []
        // A line is read byte by byte, because the bytes after it belong to the next reader.
        var buffer = [UInt8](repeating: 0, count: lineOnly ? 1 : 65_536)
        while bytes.count < limit {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.reader, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) >= 0 || errno == EINTR else { throw Failure(number: errno) }
            guard waiting[1].revents == 0 else { throw CancellationError() }
            guard waiting[0].revents != 0 else { continue }
            let count = systemRead(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Failure(number: errno) }
            guard count > 0 else { return bytes.isEmpty ? nil : (bytes, true) }
            if lineOnly, buffer[0] == UInt8(ascii: "\n") { return (bytes, true) }
            bytes += buffer.prefix(count)
        }
        return (bytes, false)
    }
}

// `read` and `write` are also the names of members above.
private let systemRead = read
private let systemWrite = write
