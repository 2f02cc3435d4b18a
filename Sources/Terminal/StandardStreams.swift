import Glibc

/// The descriptors 0, 1 and 2.
public enum StandardStreams {
    /// Opens `/dev/null` for each of the three that is closed, as after `latch accounts >&-`.
    ///
    /// Otherwise the next file or pipe that the program opens gets the free number, and output for a person goes there. Call it
    /// before anything else.
    ///
    /// Source: POSIX.1-2017, `exec`: a program may expect the three to be open; open(2): the lowest free number is taken.
    public static func openClosed() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }
}
