import FoundationEssentials
import GatewayConfiguration
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OAuth
import SignInBridge

extension ImmichRoutes {
    /// `GET /oauth/start`: begins a sign-in in a browser, at the address that `/oauth/authorize` returned. It redirects
    /// to the provider, or shows a page to choose one where there are several.
    ///
    /// All parameters are checked again, because anyone can construct such an address.
    ///
    /// Source: RFC 8252 §6; RFC 9700 §2.1.
    func start(_ request: ServerRequest, _ bridge: Bridge) async -> ServerResponse {
        let pages = services.redirectPages
        let names = ["redirect_uri", "state", "code_challenge", "provider"]
        guard let redirect = request.query("redirect_uri"), bridge.redirects.allows(redirect),
            let state = request.query("state"), (1...AuthorizeQuery.maximumStateCount).contains(state.utf8.count),
            let challenge = request.query("code_challenge").flatMap(PKCE.Challenge.init),
            names.allSatisfy({ request.queryValues($0).count <= 1 })
        else {
            return pages.failed(.badRequest, "The app asked for a sign-in that this server does not allow.")
        }
        let chosen = request.query("provider")
        guard let provider = chosen.map({ bridge.providers[$0] }) ?? Self.only(bridge) else {
            guard chosen == nil else {
                return pages.failed(.badRequest, "This server has no such identity provider.")
            }
            return pages.choice(
                bridge.providers.all.map { provider in
                    let query = FormURLEncoded.encode([
                        ("redirect_uri", redirect), ("state", state), ("code_challenge", challenge.text),
                        ("provider", provider.id),
                    ])
                    return ProviderButton(provider.configuration, "\(prefix)/oauth/start?\(query)")
                })
        }
        guard let base = services.address.base(of: request) else {
            return pages.failed(
                .misdirectedRequest, "The server does not know its own address; ask your administrator.")
        }
        do throws(BridgeFailure) {
            let beginning = try await bridge.begin(
                at: provider, .identity(redirect: redirect, state: state, challenge: challenge),
                callback: base + services.settings.bridge.prefix + provider.callbackPath, request: request.id)
            return services.settingSignInCookies(
                .redirect(to: beginning.address), of: beginning, at: provider, beside: request)
        } catch {
            let link = DeepLink.error(error.error, error.sentence, to: redirect, state: state)
            return pages.returningWithoutSuccess(to: link, error.sentence, after: request.method)
        }
    }

    private static func only(_ bridge: Bridge) -> BridgeProvider? {
        bridge.providers.all.count == 1 ? bridge.providers.all.first : nil
    }
}
