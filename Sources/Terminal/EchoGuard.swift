import Glibc
import Synchronization

/// Switches a terminal's echo off, and surely on again.
///
/// Whatever way the program ends by itself, ``restore()`` was called: after the prompt, at the second Ctrl-C, at exit.
///
/// Source: `termios(3)`.
public final class EchoGuard: Sendable {
    /// The one guard of the program.
    public static let shared = EchoGuard()

    private let saved = Mutex<(descriptor: Int32, settings: termios)?>(nil)

    /// Switches echo off; typed-ahead characters are dropped.
    ///
    /// The keys that suspend and dump are off too: a suspended program would leave the shell without echo.
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

    /// Puts the settings back as they were; nothing when echo was not switched off.
    public func restore() {
        saved.withLock { saved in
            guard var hidden = saved else { return }
            tcsetattr(hidden.descriptor, TCSAFLUSH, &hidden.settings)
            saved = nil
        }
    }
}
