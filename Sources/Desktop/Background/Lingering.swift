import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether the user's systemd instance also runs while the user is signed out.
public enum Lingering {
    /// Whether lingering is enabled, for example by `loginctl enable-linger`.
    ///
    /// Source: loginctl(1), `enable-linger`; logind keeps an empty file with the user's name.
    public static var isOn: Bool {
        guard let entry = getpwuid(getuid()) else { return false }
        return FileManager.default.fileExists(
            atPath: "/var/lib/systemd/linger/" + String(cString: entry.pointee.pw_name))
    }
}
