import Desktop
import OAuth
import Synchronization

/// The way in which the browser returns to the program.
public enum CallbackMethod: String, Sendable, CaseIterable {
    /// The way that the server supports: loopback if it says so, otherwise the custom scheme. A ``BrowserPresenting``
    /// always gets the custom scheme, at which a page can end without a port.
    case automatic
    /// To an address with a custom scheme, which the desktop passes to its handler.
    case scheme
    /// To a loopback address with a port of this machine.
    case loopback
}

/// Waits for the link with which the browser returns to one sign-in.
struct CallbackReceiver: Sendable {
    /// The redirect address that the browser returns to.
    let redirect: String
    /// The way in which the browser returns.
    let method: CallbackMethod
    /// A stream of the one link that contains this sign-in's state. It finishes after that link.
    let links: AsyncStream<String>
    private let end: @Sendable () -> Void

    /// The state that a receiver waits for, set after the server has responded. No link is accepted before that.
    final class Expectation: Sendable {
        private let state = Mutex<State??>(nil)

        /// Accepts links with this state from now on. With nil, accepts any link that has a state.
        func set(_ expected: State?) {
            state.withLock { $0 = .some(expected) }
        }

        func takes(_ link: String, to redirect: String) -> Bool {
            guard let expected = state.withLock({ $0 }) else { return false }
            return CallbackReceiver.takes(link, to: redirect, state: expected)
        }
    }

    /// Returns whether a link has the redirect address and the state. If the state is nil, any state is accepted.
    static func takes(_ link: String, to redirect: String, state: State?) -> Bool {
        let link = CallbackLink.fitted(link, to: redirect)
        guard let state else { return AuthorizationResponse.state(of: link, expectedRedirect: redirect) != nil }
        return AuthorizationResponse.belongs(callbackURL: link, expectedRedirect: redirect, expectedState: state)
    }

    /// Returns a receiver that listens on a port of this machine. `server` is named on the page at the end.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable`` when it cannot listen.
    static func loopback(
        _ dialect: any BrowserDialect, of server: ServerAddress, _ expected: Expectation
    ) throws(LatchError) -> Self {
        do {
            let receiver = try LoopbackReceiver(path: dialect.loopbackPath, server: server.withoutScheme) {
                expected.takes($0, to: $1)
            }
            return Self(
                redirect: receiver.redirect, method: .loopback, links: receiver.links, end: { receiver.close() })
        } catch {
            throw LatchError(.callbackUnavailable, error.message, cause: error)
        }
    }

    /// Returns a receiver for links that ``CallbackLink/deliver(folders:)`` delivers.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable``, also when another sign-in with an unknown state waits for the
    ///   same address.
    static func scheme(_ redirect: String, state: State?, folders: Folders) throws(LatchError) -> Self {
        var problem: DesktopError?
        let name = state.map(CallbackLink.name(of:)) ?? CallbackLink.name(ofAddress: redirect)
        for path in folders.callbacks {
            do {
                let receiver = try LinkReceiver(named: name, in: LinkFolder(path)) {
                    takes($0, to: redirect, state: state)
                }
                return Self(redirect: redirect, method: .scheme, links: receiver.links, end: { receiver.close() })
            } catch {
                guard error.code != .taken else { throw taken(redirect, error) }
                problem = problem ?? error
            }
        }
        throw LatchError(
            .callbackUnavailable, problem?.message ?? "There is no folder in which to wait for the browser.",
            cause: problem)
    }

    /// Returns the error for a second sign-in with an unknown state. Without the state, links cannot be assigned to one
    /// of the two.
    private static func taken(_ redirect: String, _ cause: DesktopError) -> LatchError {
        let scheme = redirect.prefix { $0 != ":" }
        return LatchError(
            .callbackUnavailable,
            "Another sign-in is already waiting for a link of \(scheme)://, and this server's links do not identify "
                + "their sign-in. Finish or stop the other sign-in first.", cause: cause)
    }

    /// Stops waiting.
    func close() {
        end()
    }
}
