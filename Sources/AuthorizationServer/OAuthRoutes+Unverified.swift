import GatewayCore
import HTTPMessages

/// Clients that registered themselves.
extension OAuthRoutes {
    /// Returns the note that such a client is unverified. Nil for another client.
    static func unverifiedNote(_ client: RegisteredClient) -> HTML? {
        guard client.registration != nil else { return nil }
        return """
            <p role="note"><strong>This app is unverified.</strong> It registered itself, and anybody can register an app \
            with this name.</p>
            """
    }
}

extension RedirectOrigin {
    /// Where an address leads, for people: the host, this device, or an app.
    static func shown(_ redirect: String) -> String {
        let scheme = redirect.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" else { return "an app on this device (\(scheme))" }
        guard scheme == "https" else { return "a program on this device" }
        return String(redirect.dropFirst(8).prefix { $0 != "/" && $0 != "?" })
    }
}
