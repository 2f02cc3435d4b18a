package import Foundation

/// The built programs that the tests start.
package enum Programs {
    /// The root of the repository.
    package static let root: URL = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { url.deleteLastPathComponent() }
        return url
    }()

    /// The window's program, next to the tests.
    package static var desktop: String { root.path + "/.build/desktop/debug/latch-desktop" }
    /// The program for checks that need a main loop.
    package static var probe: String { root.path + "/.build/desktop/debug/DesktopProbe" }
    /// The library that kills a program at one of its changes.
    package static var killPoints: String { root.path + "/.build/desktop/debug/libKillPoints.so" }
    /// The gateway, from the main package.
    package static var gateway: String { folder + "/latchd" }
    /// The command line, from the main package.
    package static var latch: String { folder + "/latch" }

    private static var folder: String { root.path + "/.build/debug" }
}
