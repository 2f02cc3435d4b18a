import CLibrary
import CSpawn
import Synchronization

/// One end of a pipe to a program. It is closed when the value is destroyed.
public final class PipeEnd: Sendable {
    private let descriptor: Mutex<Int32?>

    init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    /// Creates a pipe that other programs do not inherit.
    static func pair() throws -> (reading: PipeEnd, writing: PipeEnd) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw ChildProcess.Failure("No pipe could be made.") }
        return (PipeEnd(ends[0]), PipeEnd(ends[1]))
    }

    /// The descriptor, or -1 after it was closed.
    var number: Int32 { descriptor.withLock { $0 ?? -1 } }

    /// Waits for bytes and returns them. Returns an empty array at the end of the stream.
    public func read() -> [UInt8] {
        let number = number
        return [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            repeat { count = CLibrary.read(number, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            count = max(count, 0)
        }
    }

    /// Waits until bytes or the end of the stream can be read, without reading.
    public func waitForBytes() {
        _ = Self.isReadable(number, -1)
    }

    /// Reads the available bytes without waiting. Returns an empty array at the end of the stream, and nil when no
    /// bytes are available.
    public func readAtOnce() -> [UInt8]? {
        Self.isReadable(number, 0) ? read() : nil
    }

    private static func isReadable(_ number: Int32, _ milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&waiting, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// Reads all bytes until the end of the stream.
    public func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while case let more = read(), !more.isEmpty { all += more }
        return all
    }

    /// Writes all bytes. Stops when the read end is closed.
    public func write(_ bytes: [UInt8]) {
        signal(SIGPIPE, SIG_IGN)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { CLibrary.write(number, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Closes the end. Further calls have no effect.
    public func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let open { _ = CLibrary.close(open) }
    }
}
