package import GatewayCore
package import HTTPMessages

/// The button that leads to an identity provider, with its logo.
package struct ProviderButton: Sendable {
    package let provider: ProviderConfiguration
    /// The address where a sign-in at the provider starts.
    package let address: String

    package init(_ provider: ProviderConfiguration, _ address: String) {
        self.provider = provider
        self.address = address
    }

    package var html: HTML {
        "<a class=\"button block other\" href=\"\(link: address)\">\(logo)<span>\(label)</span></a>"
    }

    /// The text of the button, such as `Continue with Google`. A title that already has a verb stays unchanged.
    private var label: String {
        let title = provider.title
        let verbs = ["sign in", "log in", "login", "continue", "use "]
        let isSentence = verbs.contains { title.lowercased().hasPrefix($0) }
        return isSentence ? title : "Continue with \(title)"
    }

    private var logo: HTML {
        switch provider.kind {
        case .google:
            """
            <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke-width="4">\
            <path stroke="#ea4335" d="M5.1 8a8 8 0 0 1 12.6-1.7"/><path stroke="#fbbc05" d="M5.1 16a8 8 0 0 1 0-8"/>\
            <path stroke="#34a853" d="M17.2 18.1A8 8 0 0 1 5.1 16"/>\
            <path stroke="#4285f4" d="M12.2 12H20a8 8 0 0 1-2.8 6.1"/></svg>
            """
        case .apple:
            """
            <svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor">\
            <path d="M12.1 7.2c.9 0 2-.8 3.5-.8 1.8 0 3.2.9 4 2.2-1.6 1-2.4 2.3-2.4 4 0 2 1.1 3.5 2.9 4.3-.9 2.4-2.6 5-4.2 \
            5-1.3 0-1.7-.8-3.4-.8s-2.2.8-3.4.8C6.7 21.9 3.7 17.3 3.7 13c0-4 2.5-6.5 5.2-6.5 1.4 0 2.3.7 \
            3.2.7zM15.7 1.5c.1 2.6-1.9 4.5-3.9 4.5-.1-2.3 1.7-4.4 3.9-4.5z"/></svg>
            """
        case .oidc:
            """
            <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" \
            stroke-linecap="round" stroke-linejoin="round"><circle cx="8" cy="12" r="4"/>\
            <path d="M12 12h9M18 12v3.5M21 12v2.5"/></svg>
            """
        }
    }
}
