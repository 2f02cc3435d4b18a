import CLibrary

/// The standard file descriptors 0, 1 and 2.
package enum StandardStreams {
    /// Opens `/dev/null` for each standard descriptor that is closed, as after `latch accounts >&-`.
    ///
    /// Otherwise the next file or pipe that the program opens would get the free number, and output for people would be
    /// written to it. Call this before anything else.
    ///
    /// Source: POSIX.1-2017, `exec`: a program may expect the three to be open; open(2): the lowest free number is
    /// used.
    package static func openClosed() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }
}
