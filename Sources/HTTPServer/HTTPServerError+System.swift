import CLibrary
import CMicroHTTPD

extension HTTPServerError {
    /// Returns the error for a failure to listen on `listener` with the error `number`.
    ///
    /// Source: bind(2), listen(2), ip(7), unix(7).
    static func listening(on listener: Listener, _ number: Int32) -> HTTPServerError {
        let act = "Could not listen on \(listener): "
        let isFile = if case .unix = listener { true } else { false }
        return switch number {
        case EADDRINUSE:
            HTTPServerError(
                .addressInUse, act + "another program already listens there; stop it or choose another address.",
                systemError: number)
        case EACCES, EPERM:
            HTTPServerError(
                .notPermitted,
                act
                    + "this user (uid \(getuid())) lacks permission; choose "
                    + "\(isFile ? "a folder it owns" : "a port above 1023").",
                systemError: number)
        case EADDRNOTAVAIL, EINVAL, EAFNOSUPPORT, ENAMETOOLONG, ENOENT, ENOTDIR:
            HTTPServerError(
                .invalidAddress,
                act
                    + "\(reason(number)); choose \(isFile ? "an existing folder and a short path" : "an address of this machine").",
                systemError: number)
        default:
            HTTPServerError(.system, act + "\(reason(number)).", systemError: number)
        }
    }

    /// Returns the system's message for an error number, without a full stop.
    static func reason(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
