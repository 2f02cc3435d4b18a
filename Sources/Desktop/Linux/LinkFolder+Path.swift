extension LinkFolder {
    /// The path of the open folder, short enough for the address of a socket.
    ///
    /// Source: `proc(5)`, `/proc/self/fd`.
    var path: String { "/proc/self/fd/\(descriptor)" }
}
