import Desktop
import OAuth

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

    /// Waits on a port of this machine.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable``.
    static func loopback(_ dialect: any BrowserDialect, _ state: State) throws(LatchError) -> Self {
        do {
            let receiver = try LoopbackReceiver(path: dialect.loopbackPath) { link, redirect in
                AuthorizationResponse.belongs(callbackURL: link, expectedRedirect: redirect, expectedState: state)
            }
            return Self(
                redirect: receiver.redirect, method: .loopback, links: receiver.links, end: { receiver.close() })
        } catch {
            throw LatchError(.callbackUnavailable, error.message, cause: error)
        }
    }

    /// Waits for what ``CallbackLink/deliver(folders:)`` hands over.
    ///
    /// - Throws: ``LatchError/Code/callbackUnavailable``.
    static func scheme(_ dialect: any BrowserDialect, _ state: State, _ folders: Folders) throws(LatchError) -> Self {
        let redirect = dialect.callback
        var problem: DesktopError?
        for path in folders.callbacks {
            do {
                let receiver = try LinkReceiver(named: CallbackLink.name(of: state), in: LinkFolder(path)) { link in
                    AuthorizationResponse.belongs(callbackURL: link, expectedRedirect: redirect, expectedState: state)
                }
                return Self(redirect: redirect, method: .scheme, links: receiver.links, end: { receiver.close() })
            } catch {
                problem = problem ?? error
            }
        }
        throw LatchError(
            .callbackUnavailable, problem?.message ?? "There is no folder to wait for the browser in.", cause: problem)
    }

    /// Waits no more.
    func close() {
        end()
    }
}
