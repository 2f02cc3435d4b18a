import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether the person's manager of services is there while they are signed out.
public enum Lingering {
    /// Whether it was said so, as by `loginctl enable-linger`.
    ///
    /// Source: loginctl(1), `enable-linger`; logind keeps an empty file of the user's name.
    public static var isOn: Bool {
        guard let entry = getpwuid(getuid()) else { return false }
        return FileManager.default.fileExists(
            atPath: "/var/lib/systemd/linger/" + String(cString: entry.pointee.pw_name))
    }
}
