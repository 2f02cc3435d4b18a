/// The program's version, as defined by semver.org.
enum Version {
    static let current = "0.1.0"
}
