import HTTPServer
import Wire

/// A dialect through which people sign in at an identity provider in a browser. It gives its paths and words; the steps,
/// and what protects them, are the same for all.
///
/// Source: OX-2 to OX-5; RFC 9700.
protocol BridgeDialect: ServiceDialect {
    /// The path below the prefix that a provider sends browsers back to.
    func callbackPath(of provider: BridgeProvider) -> String

    /// Whether a sign-in may still end where it was to end: the list of redirects may have changed meanwhile.
    func mayEnd(at destination: BridgeState.Destination) -> Bool

    /// The path, with its query, where a browser begins again a sign-in that continues at `next`.
    func beginning(at provider: BridgeProvider, continuingAt next: String) -> String

    /// The answer for a program whose callback belongs to no sign-in.
    func refusal(of callback: InvalidCallback) -> ServerResponse

    /// The answer for a program whose sign-in failed. A person gets a page with the same status.
    func refusal(of failure: BridgeFailure) -> ServerResponse
}

/// Why the callback of a browser belongs to no sign-in.
enum InvalidCallback: Error {
    /// There is no state.
    case missingState
    /// There are several states, or one that this server did not make.
    case unreadableState
    /// The sign-in began too long ago.
    case expired
    /// The state belongs to another path, provider or browser.
    case notRecognized
}

extension BridgeDialect {
    /// Adds the routes that providers send browsers back to.
    func addCallbacks(_ bridge: Bridge, to router: inout Router) {
        for path in Set(bridge.providers.all.map(callbackPath)) {
            for method in [HTTPMethod.get, .post] {
                addLimited(method, path, to: &router) { await $0.callback($1, at: path, bridge) }
            }
        }
    }

    /// The address that a provider sends a browser back to; nil when the server does not know its own address.
    func callbackAddress(of provider: BridgeProvider, _ request: ServerRequest) -> String? {
        services.address.base(of: request).map { $0 + prefix + callbackPath(of: provider) }
    }

    /// Sends a browser to the provider, with the cookie of this sign-in.
    func redirect(
        to beginning: Bridge.AuthorizationStart, at provider: BridgeProvider, _ bridge: Bridge,
        beside request: ServerRequest
    ) -> ServerResponse {
        bridge.cookies(.redirect(to: beginning.address), of: beginning, at: provider, beside: request)
    }
}

extension Bridge {
    /// The response with the cookie that a browser keeps until it comes back from the provider.
    func cookies(
        _ response: ServerResponse, of beginning: AuthorizationStart, at provider: BridgeProvider,
        beside request: ServerRequest
    ) -> ServerResponse {
        var response = response
        for cookie in signInCookies.begin(beginning.secret, provider.sameSite, beside: request) {
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }
}
