/// The program's version, by semver.org.
enum Version {
    static let current = "0.1.0"
}
