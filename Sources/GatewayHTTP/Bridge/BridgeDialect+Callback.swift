import Crypto
import GatewayCore
import HTTPMessages
package import HTTPServer
package import SignInBridge

extension BridgeDialect {
    /// `GET` or `POST` at a callback path: finishes a sign-in when the browser returns from the identity provider.
    ///
    /// The browser is not redirected until the state and the cookie prove that it began the sign-in. A link from
    /// another person's sign-in therefore has no effect. After that an app receives the result, good or bad, through
    /// its deep link. The response has a page for a person who stays in the browser.
    ///
    /// A browser may send a callback twice, for example after a double click at the provider. It has one effect, and a
    /// sign-in that ends in the browser gets the same response twice.
    ///
    /// Source: OX-3, OX-4, TT-3; RFC 9700 §4.7.1.
    package func callback(
        _ request: ServerRequest, at path: String, _ bridge: Bridge
    ) async throws -> ServerResponse {
        guard let base = services.address.base(of: request) else { return unknownAddress(request) }
        let browser = BridgeCallback(request, services)
        let pending: PendingCallback
        do throws(InvalidCallback) {
            guard let fields = browser.fields else { throw .unreadableState }
            pending = try open(fields, at: path, in: request, bridge: bridge)
        } catch {
            guard BridgeCallback.wantsPage(request) else { return refusal(of: error) }
            return try await signedInMeanwhile(browser, bridge) ?? services.redirectPages.unknownCallback
        }
        let callback = base + prefix + path
        // The response for an app has a one-time code, which is not given again later.
        let isForBrowser = if case .web = pending.state.returnTo { true } else { false }
        let sent = SentForm(callback: path, of: pending.secret.secret.reveal())
        return try await services.sentForms.response(to: sent, isStored: isForBrowser) {
            await finished(pending, browser, callback: callback, bridge)
        }
    }

    private func finished(
        _ pending: PendingCallback, _ browser: BridgeCallback, callback: String, _ bridge: Bridge
    ) async -> ServerResponse {
        let request = browser.request
        var response: ServerResponse
        do throws(BridgeFailure) {
            let ending = try await bridge.finish(
                pending.state, secret: pending.secret, at: pending.provider, fields: pending.fields,
                callback: callback, client: origin(of: request))
            response = await browser.response(ending, bridge)
        } catch {
            response = failed(error, of: pending.state.returnTo, at: pending.provider, request)
        }
        // Also after a failure, so that the browser cannot repeat the callback.
        response.headers.append("Set-Cookie", services.signInCookies.end(pending.state.id, pending.provider.sameSite))
        return response
    }

    /// Returns the response to a browser that comes back to a sign-in which it has already completed. Nil when the browser
    /// has not signed in since that began. Only this server can make a state, so it names an address that was checked.
    private func signedInMeanwhile(_ browser: BridgeCallback, _ bridge: Bridge) async throws -> ServerResponse? {
        let cookie = RequestTokens(browser.request, cookie: services.cookie).cookie
        guard let states = browser.fields?.values("state"), states.count == 1,
            let state = PendingAuthorization(opening: states[0], bridge.keys), case .web(let next) = state.returnTo,
            let cookie, let session = try await services.issuer.authenticate(cookie).session,
            session.created >= state.startedAt
        else { return nil }
        return services.redirectPages.continuing(to: next, title: "You are signed in", after: browser.request.method)
    }

    /// Returns the sign-in that a callback belongs to. The callback must arrive at the path of its provider, so that
    /// the response of another provider is not accepted for it.
    ///
    /// Source: RFC 9700 §4.4.2.2.
    private func open(
        _ fields: FormFields, at path: String, in request: ServerRequest, bridge: Bridge
    ) throws(InvalidCallback) -> PendingCallback {
        let states = fields.values("state")
        guard let text = states.first else { throw .missingState }
        guard states.count == 1, let state = PendingAuthorization(opening: text, bridge.keys) else {
            throw .unreadableState
        }
        guard state.isLive(at: bridge.now()) else { throw .expired }
        guard let provider = bridge.providers[state.provider], callbackPath(of: provider) == path,
            canEnd(at: state.returnTo), let secret = services.signInCookies.secret(for: state, in: request)
        else { throw .notRecognized }
        return PendingCallback(fields: fields, state: state, provider: provider, secret: secret)
    }

    /// Returns the response to a failed sign-in. An app receives the error through its deep link, a person in a browser
    /// gets a page.
    package func failed(
        _ failure: BridgeFailure, of returnTo: PendingAuthorization.ReturnTarget, at provider: BridgeProvider,
        _ request: ServerRequest
    ) -> ServerResponse {
        switch returnTo {
        case .app(let redirect, let state, _), .identity(let redirect, let state, _):
            return BridgeCallback(request, services).response(failure, to: redirect, state: state)
        case .web(let next):
            let again =
                services.redirectPages.signIn(goingOnTo: next) ?? prefix + startPath(at: provider, continuingAt: next)
            let other = failure.account.flatMap { _ in otherAccountPath(at: provider, continuingAt: next) }
            return failed(failure, request, again: again, otherAccount: other.map { prefix + $0 })
        }
    }

    /// Makes the response to a failed sign-in when no app has to be informed.
    ///
    /// - Parameters:
    ///   - failure: The reason.
    ///   - request: The request.
    ///   - again: The address where a person can begin again; nil for no such link.
    ///   - otherAccount: The address where a person can begin with another account; nil for no such link.
    /// - Returns: A page for browsers, else the error of the dialect.
    package func failed(
        _ failure: BridgeFailure, _ request: ServerRequest, again: String? = nil, otherAccount: String? = nil
    ) -> ServerResponse {
        let refusal = refusal(of: failure)
        guard BridgeCallback.wantsPage(request) else { return refusal }
        var page = services.redirectPages.failed(
            refusal.status, failure.sentence, again: again, account: failure.account, otherAccount: otherAccount)
        page.headers["Retry-After"] = refusal.headers["Retry-After"]
        return page
    }
}

/// A callback and the sign-in that it belongs to.
private struct PendingCallback {
    let fields: FormFields
    let state: PendingAuthorization
    let provider: BridgeProvider
    let secret: BrowserSecret
}
