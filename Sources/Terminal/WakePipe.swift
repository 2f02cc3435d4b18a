import CLibrary

/// A pipe that ends a `poll(2)` of another thread.
final class WakePipe: Sendable {
    /// The read end. It is readable after ``wake()`` and stays readable.
    let reader: Int32
    private let writer: Int32

    init() throws(Descriptor.Failure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Descriptor.Failure(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func wake() {
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }
}
