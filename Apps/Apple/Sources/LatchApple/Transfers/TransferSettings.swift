// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The settings of a URL session, as values.
///
/// No setting stores anything: no cookies, no cache, no credentials.
public struct TransferSettings: Sendable, Hashable {
    /// The identifier of a background session, whose transfers go on while the app is not running. Nil for a session
    /// that ends with the app.
    public var identifier: String?
    /// Whether expensive networks, such as mobile ones, and networks in Low Data Mode are used. Default: false.
    public var allowsMetered = false
    /// The most connections to one host. Default: 6 (DL-10).
    public var connectionsPerHost = 6
    /// The time without a new byte after which a transfer fails. Default: one minute.
    public var idleTimeout = Duration.seconds(60)

    /// The background session of the download queue.
    public static let downloads = TransferSettings(identifier: "org.latchstring.downloads")

    /// Creates settings.
    public init(identifier: String? = nil) { self.identifier = identifier }

    /// Makes the configuration of a session.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/background(withidentifier:),
    /// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/ephemeral
    func configuration() -> URLSessionConfiguration {
        let configuration = identifier.map(URLSessionConfiguration.background(withIdentifier:)) ?? .ephemeral
        if identifier != nil {
            configuration.sessionSendsLaunchEvents = true
            // A person asked for the files, so they are not left for the night.
            configuration.isDiscretionary = false
        }
        configuration.waitsForConnectivity = true
        configuration.allowsExpensiveNetworkAccess = allowsMetered
        configuration.allowsConstrainedNetworkAccess = allowsMetered
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.timeoutIntervalForRequest = TimeInterval(idleTimeout.components.seconds)
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }
}
