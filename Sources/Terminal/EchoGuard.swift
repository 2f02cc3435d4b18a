import CLibrary
import Synchronization

/// Turns off the echo of a terminal and ensures that it is turned on again.
///
/// ``restore()`` is called on every way the program ends by itself: after the prompt, at the second Ctrl-C and at exit.
///
/// Source: `termios(3)`.
package final class EchoGuard: Sendable {
    /// The shared guard of the program.
    package static let shared = EchoGuard()

    private let saved = Mutex<(descriptor: Int32, settings: termios)?>(nil)

    /// Turns echo off. Characters that were typed ahead are discarded.
    ///
    /// The suspend key is turned off too, because a suspended program would leave the shell without echo.
    func hide(_ descriptor: Int32) throws(Descriptor.Failure) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw Descriptor.Failure(number: errno) }
        saved.withLock { $0 = (descriptor, settings) }
        settings.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            keys[Int(VSUSP)] = 0
        }
        guard tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
            let failure = Descriptor.Failure(number: errno)
            restore()
            throw failure
        }
    }

    /// Restores the settings. Does nothing when echo was not turned off.
    package func restore() {
        saved.withLock { saved in
            guard var hidden = saved else { return }
            tcsetattr(hidden.descriptor, TCSAFLUSH, &hidden.settings)
            saved = nil
        }
    }
}
