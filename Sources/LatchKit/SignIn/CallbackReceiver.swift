import Desktop
import OAuth
import Synchronization

/// How the browser comes back.
public enum CallbackMethod: String, Sendable, CaseIterable {
    /// As the server lets: by loopback where it says so, else by the custom scheme.
    case automatic
    /// To an address of a custom scheme, which the desktop hands to its handler; see ``SchemeRegistration``.
    case scheme
    /// To a port of this machine.
    case loopback
}

/// Waits for the link by which the browser comes back to one sign-in.
struct CallbackReceiver: Sendable {
    /// Where the browser is to come back to.
    let redirect: String
    /// How.
    let method: CallbackMethod
    /// The link that holds this sign-in's state; nothing else comes out. Ends after it.
    let links: AsyncStream<String>
    private let end: @Sendable () -> Void

    /// What a receiver waits for, told when the server has said it; until then nothing is taken.
    final class Expectation: Sendable {
        private let state = Mutex<State??>(nil)

        /// Takes links with this state from now on; with nil, any link that has one.
        func set(_ expected: State?) {
            state.withLock { $0 = .some(expected) }
        }

        func takes(_ link: String, _ redirect: String) -> Bool {
            guard let expected = state.withLock({ $0 }) else { return false }
            return CallbackReceiver.takes(link, redirect, expected)
        }
    }

    /// Whether a link came to the redirect address with the state, or with any one where none can be known.
    static func takes(_ link: String, _ redirect: String, _ state: State?) -> Bool {
        let link = CallbackLink.fitted(link, to: redirect)
        guard let state else { return AuthorizationResponse.state(of: link, expectedRedirect: redirect) != nil }
        return AuthorizationResponse.belongs(callbackURL: link, expectedRedirect: redirect, expectedState: state)
    }

    /// Waits on a port of this machine.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable``.
    static func loopback(_ dialect: any BrowserDialect, _ expected: Expectation) throws(LatchError) -> Self {
        do {
            let receiver = try LoopbackReceiver(path: dialect.loopbackPath) { expected.takes($0, $1) }
            return Self(
                redirect: receiver.redirect, method: .loopback, links: receiver.links, end: { receiver.close() })
        } catch {
            throw LatchError(.callbackUnavailable, error.message, cause: error)
        }
    }

    /// Waits for what ``CallbackLink/deliver(folders:)`` hands over.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable``; also when another sign-in whose state nobody can know waits for the
    ///   same address.
    static func scheme(_ redirect: String, _ state: State?, _ folders: Folders) throws(LatchError) -> Self {
        var problem: DesktopError?
        let name = state.map(CallbackLink.name(of:)) ?? CallbackLink.name(ofAddress: redirect)
        for path in folders.callbacks {
            do {
                let receiver = try LinkReceiver(named: name, in: LinkFolder(path)) { takes($0, redirect, state) }
                return Self(redirect: redirect, method: .scheme, links: receiver.links, end: { receiver.close() })
            } catch {
                guard error.code != .taken else { throw taken(redirect, error) }
                problem = problem ?? error
            }
        }
        throw LatchError(
            .callbackUnavailable, problem?.message ?? "There is no folder to wait for the browser in.", cause: problem)
    }

    /// Which of two sign-ins a link belongs to nobody could tell.
    private static func taken(_ redirect: String, _ cause: DesktopError) -> LatchError {
        let scheme = redirect.prefix { $0 != ":" }
        return LatchError(
            .callbackUnavailable,
            "Another sign-in waits for a link of \(scheme):// already, and this server's links do not tell which one they "
                + "belong to. Finish or stop that one first.", cause: cause)
    }

    /// Waits no more.
    func close() {
        end()
    }
}
