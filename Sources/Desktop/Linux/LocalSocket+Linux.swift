import CLibrary

extension LocalSocket {
    /// The type of a socket for connections, which programs that this one starts do not inherit.
    static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    /// The flag for a write that raises no SIGPIPE.
    static let noSignal = Int32(MSG_NOSIGNAL)

    /// Returns whether the program at the other end runs as this user.
    ///
    /// Source: `unix(7)`, `SO_PEERCRED`: process, user and group.
    static func isOwn(_ descriptor: Int32) -> Bool {
        var credentials: [UInt32] = [0, .max, 0]
        var size = socklen_t(12)
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 && credentials[1] == geteuid()
    }
}
