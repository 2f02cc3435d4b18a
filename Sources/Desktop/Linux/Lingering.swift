import CLibrary
import FoundationEssentials

/// Whether the user's systemd instance also runs while the user is signed out.
package enum Lingering {
    /// The command that enables lingering.
    package static let command = "loginctl enable-linger"

    /// Whether lingering is enabled, for example by `loginctl enable-linger`.
    ///
    /// Source: loginctl(1), `enable-linger`; logind keeps an empty file with the user's name.
    package static var isOn: Bool {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(getuid(), &entry, start, buffer.count, &found) == 0,
                let found
            else { return false }
            return FileManager.default.fileExists(
                atPath: "/var/lib/systemd/linger/" + String(cString: found.pointee.pw_name))
        }
    }
}
