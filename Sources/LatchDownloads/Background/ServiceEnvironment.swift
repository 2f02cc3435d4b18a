import Desktop
import FoundationEssentials
import LatchKit

/// The environment variables that are stored for the later starts of a program in the background.
struct ServiceEnvironment {
    /// The variables that a service, or an autostart entry of the desktop, needs to find the same accounts.
    private static let folders = UserFolder.allCases.map(\.variable) + ["LATCH_LOG"]
    /// The variables that it needs to reach the servers in the same way.
    ///
    /// Source: curl(1), environment; SSL_CTX_set_default_verify_paths(3).
    private static let network = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_DIR",
    ]
    private static let authorities = ["SSL_CERT_FILE", "CURL_CA_BUNDLE"]

    /// The variables to store.
    let variables: [String: String]
    /// The names of the proxies that are not stored, because other users could read their passwords there.
    let excluded: [String]

    init(_ environment: [String: String]) {
        var known = environment.filter { Self.folders.contains($0.key) || Self.network.contains($0.key) }
        for name in Self.authorities { known[name] = environment[name].map(Folders.absolute) }
        excluded = known.filter { $0.key.lowercased().hasSuffix("_proxy") && $0.value.contains("@") }.keys.sorted()
        for name in excluded { known[name] = nil }
        variables = known
    }
}
