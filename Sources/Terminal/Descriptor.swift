import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#else
    #error("latch needs a C library")
#endif

/// Reads and writes open descriptors, off the shared pool where it may wait.
public enum Descriptor {
    /// What the system said when it failed.
    public struct Failure: Error, CustomStringConvertible {
        /// The system's number, `errno`.
        public let number: Int32

        /// The number of writing to a pipe that nobody reads.
        public static let closedPipe = EPIPE

        /// Makes a failure of a number.
        public init(number: Int32) {
            self.number = number
        }

        /// The system's words for it.
        public var description: String { String(cString: strerror(number)) }
    }

    /// Standard input.
    public static let input = STDIN_FILENO
    /// Standard output.
    public static let output = STDOUT_FILENO
    /// Standard error.
    public static let errors = STDERR_FILENO

    /// Whether a descriptor is a terminal.
    public static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// How many columns a terminal has; nil where that is not known.
    ///
    /// Source: `ioctl_tty(2)`, `TIOCGWINSZ`.
    public static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// How many lines a terminal has; nil where that is not known.
    ///
    /// Source: `ioctl_tty(2)`, `TIOCGWINSZ`.
    public static func lines(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }

    /// Writes every byte and waits for the reader: without a limit, or for a second at a time after ``hurry()``.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
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

    /// How many bytes are written at once: a pipe that is ready for writing takes them without blocking.
    ///
    /// Source: pipe(7), `PIPE_BUF`.
    private static let piece = 4_096

    /// Stops a reader that no longer reads from delaying the program's end. From now on each write waits for the reader for a
    /// second at most. Output that is not taken by then is dropped, and so is all later output to that descriptor.
    public static func hurry() { haste?.wake() }

    private static let haste = try? WakePipe()
    /// The descriptors that were not read for a second after ``hurry()``, one bit each.
    private static let abandoned = Atomic<UInt32>(0)

    private static func waitForReader(of descriptor: Int32) throws(Failure) {
        let bit: UInt32 = (0..<32).contains(descriptor) ? 1 << UInt32(descriptor) : 0
        var isHurried = false
        while true {
            guard abandoned.load(ordering: .relaxed) & bit == 0 else { throw Failure(number: EAGAIN) }
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: isHurried ? -1 : haste?.reader ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waiting, 2, isHurried ? 1_000 : -1)
            if count < 0, errno == EINTR { continue }
            // On an error or a hang-up the write itself says what is wrong.
            if count < 0 || waiting[0].revents != 0 { return }
            if isHurried { abandoned.bitwiseOr(bit, ordering: .relaxed) }
            isHurried = true
        }
    }

    /// Reads at most `limit` bytes, up to and without the first newline when `lineOnly`.
    ///
    /// - Returns: The bytes and whether a newline ended them; nil when the input ended before any byte.
    /// - Throws: `CancellationError` as soon as the task is cancelled, ``Failure`` of `read(2)`.
    public static func read(
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
        // A byte at a time where a line is wanted: what follows it belongs to whoever reads next.
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

// `read` and `write` are also names of members above.
private let systemRead = read
private let systemWrite = write
