/// The release that this code belongs to.
package enum Release {
    /// The version of both programs and of the libraries, as defined by semver.org.
    package static let version = "0.1.0"
}
