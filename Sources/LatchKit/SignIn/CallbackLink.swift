import Crypto
import Desktop
import HTTPMessages
import OAuth
import Primitives

/// A link with a custom scheme that the desktop passes to the program registered for the scheme.
///
/// The link is delivered to the waiting program under a name derived from the link's `state`. Two concurrent sign-ins
/// therefore never receive each other's link, and a link that no program waits for is not delivered.
///
/// Source: RFC 8252 §7.1; OX-9.
public struct CallbackLink: Sendable {
    private let link: String
    private let state: State

    /// Makes a callback link from its text.
    ///
    /// - Throws: ``LatchError/Code/noPendingSignIn`` when it has no `state`, has more than one, or is longer than 8 KiB.
    public init(_ link: String) throws(LatchError) {
        let query = link.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        guard link.utf8.count <= LinkReceiver.longestLink, let fields = try? FormURLEncoded.decode(Array(query)),
            fields.values("state").count == 1, let state = fields["state"]
        else { throw Self.unsolicited }
        self.link = link
        self.state = State(state)
    }

    /// Delivers the link to the program that waits for it.
    ///
    /// - Parameter folders: The folders in which programs wait.
    /// - Throws: ``LatchError/Code/noPendingSignIn`` when no program waits for the link.
    public func deliver(folders: Folders) throws(LatchError) {
        let address = String(link.prefix(beforeBytes: "?#"))
        for name in [Self.name(of: state), Self.name(ofAddress: address)] {
            for path in folders.callbacks {
                guard let folder = try? LinkFolder(path, isMade: false) else { continue }
                do {
                    return try LinkDelivery.deliver(link, to: name, in: folder)
                } catch {
                    guard error.code == .noReceiver else { throw Self.unsolicited }
                }
            }
        }
        throw Self.unsolicited
    }

    /// Returns the name under which a program waits for a state. The name does not reveal the state.
    static func name(of state: State) -> String {
        String(SHA256.digest(state.text).hexadecimal.prefix(32))
    }

    /// Returns the name under which a program waits for any link to an address. It is used when the server creates the
    /// state itself.
    static func name(ofAddress redirect: String) -> String {
        String(SHA256.digest("address " + canonical(redirect)).hexadecimal.prefix(32))
    }

    /// Returns the link with its address in the form of `redirect`. Some browsers reduce the three slashes of an empty
    /// host to one.
    ///
    /// Source: RFC 3986 §3: `a:/b` and `a:///b` name the same; docs/protocols/immich.md, Redirect addresses.
    static func fitted(_ link: String, to redirect: String) -> String {
        let address = String(link.prefix(beforeBytes: "?#"))
        guard address != redirect, canonical(address) == canonical(redirect) else { return link }
        return redirect + String(Substring(link.utf8.dropFirst(address.utf8.count)))
    }

    /// Returns an address with an empty host written explicitly, with three slashes.
    private static func canonical(_ address: String) -> String {
        guard let colon = address.firstIndex(of: ":") else { return address }
        let rest = address[address.index(after: colon)...]
        return rest.hasPrefix("/") && !rest.hasPrefix("//") ? "\(address[...colon])//\(rest)" : address
    }

    private static let unsolicited = LatchError(
        .noPendingSignIn,
        "No sign-in is waiting for this link. Nothing was changed. If you were signing in, start again.")
}
