/// What a program did, in the order in which the kernel saw it.
enum DiskEvent: Sendable {
    /// A file came to be under a name, empty.
    case make(String)
    case makeFolder(String)
    case write(String, offset: Int, [UInt8])
    case truncate(String, Int)
    case rename(String, to: String)
    case remove(String)
    /// A file or folder was flushed: what was done to it before the event of that number is on the disk.
    case sync(String, before: Int)
    /// Bytes came from a socket.
    case received(String, [UInt8])
    /// Bytes were handed to a socket or a pipe: somebody may have read them from now on.
    case sent(String, [UInt8])
}
