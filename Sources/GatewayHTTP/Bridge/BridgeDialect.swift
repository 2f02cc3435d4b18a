import HTTPMessages
package import HTTPServer
package import SignInBridge

/// A dialect whose users sign in at an identity provider in a browser. It defines paths and error messages. The steps
/// of the sign-in and its protection are the same for all dialects.
///
/// Source: OX-2 to OX-5; RFC 9700.
package protocol BridgeDialect: ServiceDialect {
    /// Returns the path that a provider redirects browsers to, below the prefix.
    func callbackPath(of provider: BridgeProvider) -> String

    /// Whether a sign-in may still end at its destination. The list of redirects may have changed since the sign-in
    /// began.
    func canEnd(at returnTo: PendingAuthorization.ReturnTarget) -> Bool

    /// Returns the path and query that begin a sign-in again, one that continues at `next`.
    func startPath(at provider: BridgeProvider, continuingAt next: String) -> String

    /// Returns the path and query that begin a sign-in with another account of the provider, one that continues at `next`.
    /// Nil, the default, when the dialect has none.
    func otherAccountPath(at provider: BridgeProvider, continuingAt next: String) -> String?

    /// Returns the response to a program whose callback belongs to no sign-in.
    func refusal(of callback: InvalidCallback) -> ServerResponse

    /// Returns the response to a program whose sign-in failed. A person gets a page with the same status.
    func refusal(of failure: BridgeFailure) -> ServerResponse
}

/// Why a callback belongs to no sign-in.
package enum InvalidCallback: Error {
    /// The state is missing.
    case missingState
    /// There is more than one state, or a state that this server did not create.
    case unreadableState
    /// The sign-in began too long ago.
    case expired
    /// The state belongs to another path, provider or browser.
    case notRecognized
}

extension BridgeDialect {
    /// Nil.
    package func otherAccountPath(at provider: BridgeProvider, continuingAt next: String) -> String? { nil }

    /// ``SiteCheck/Scope/forms`` for the callbacks, because a provider may return the browser with a form.
    package func siteScope(of route: Router.Route) -> SiteCheck.Scope {
        let providers = services.bridge?.providers.all ?? []
        return providers.contains { prefix + callbackPath(of: $0) == route.pattern } ? .forms : .pages
    }

    /// Adds the callback routes that providers redirect browsers to.
    package func addCallbacks(_ bridge: Bridge, to router: inout Router) {
        for path in Set(bridge.providers.all.map(callbackPath)) {
            for method in [HTTPMethod.get, .post] {
                addLimited(method, path, to: &router) { try await $0.callback($1, at: path, bridge) }
            }
        }
    }

    /// Returns the address that a provider redirects a browser to, or nil when the server does not know its own
    /// address.
    package func callbackAddress(of provider: BridgeProvider, _ request: ServerRequest) -> String? {
        services.address.base(of: request).map { $0 + prefix + callbackPath(of: provider) }
    }

    /// Redirects a browser to the provider and sets the cookie of this sign-in.
    package func redirect(
        to startPath: Bridge.AuthorizationStart, at provider: BridgeProvider, beside request: ServerRequest
    ) -> ServerResponse {
        services.settingSignInCookies(
            .redirect(to: startPath.address), of: startPath, at: provider, beside: request)
    }
}

extension GatewayServices {
    /// Returns the response with the cookie that a browser keeps until it returns from the provider.
    package func settingSignInCookies(
        _ response: ServerResponse, of startPath: Bridge.AuthorizationStart, at provider: BridgeProvider,
        beside request: ServerRequest
    ) -> ServerResponse {
        var response = response
        for cookie in signInCookies.begin(startPath.secret, provider.sameSite, beside: request) {
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }
}
