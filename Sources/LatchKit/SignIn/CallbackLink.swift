import Desktop
import OAuth

/// A link of a custom scheme, as the desktop hands it to the program that is registered for the scheme.
///
/// It finds the program that waits for it by a name made of its `state`: two sign-ins at once never get each other's link,
/// and a link that nobody waits for finds nobody.
///
/// Source: RFC 8252 §7.1; OX-9.
public struct CallbackLink: Sendable {
    private let link: String
    private let state: State

    /// Takes a link.
    ///
    /// - Throws: ``LatchError/Code/noSignInWaits`` when it holds no `state`, two, or is longer than 8 KiB.
    public init(_ link: String) throws(LatchError) {
        let query = link.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        guard link.utf8.count <= LinkReceiver.longestLink, let fields = try? FormURLEncoded.decode(Array(query)),
            fields.values("state").count == 1, let state = fields["state"]
        else { throw Self.unsolicited }
        self.link = link
        self.state = State(state)
    }

    /// Hands the link to the program that waits for it.
    ///
    /// - Parameter folders: Where programs wait.
    /// - Throws: ``LatchError/Code/noSignInWaits``.
    public func deliver(folders: Folders) throws(LatchError) {
        let address = String(link.prefix { $0 != "?" && $0 != "#" })
        for name in [Self.name(of: state), Self.name(ofAddress: address)] {
            for path in folders.callbacks {
                guard let folder = try? LinkFolder(path, isMade: false) else { continue }
                do {
                    return try LinkDelivery.deliver(link, to: name, in: folder)
                } catch {
                    guard error.code == .nobodyWaits else { throw Self.unsolicited }
                }
            }
        }
        throw Self.unsolicited
    }

    /// What the program that waits for a state is called: the state itself stays secret.
    static func name(of state: State) -> String {
        String(SHA256.digest(state.text).hexadecimal.prefix(32))
    }

    /// What the program that waits for any link to an address is called: where the server makes the state itself.
    static func name(ofAddress redirect: String) -> String {
        String(SHA256.digest("address " + canonical(redirect)).hexadecimal.prefix(32))
    }

    /// The link with its address written as `redirect` is: some browsers make one slash of an empty host's three.
    ///
    /// Source: RFC 3986 §3: `scheme:/path` and `scheme:///path` name the same; contract of Immich, b.11.
    static func fitted(_ link: String, to redirect: String) -> String {
        let address = String(link.prefix { $0 != "?" && $0 != "#" })
        guard address != redirect, canonical(address) == canonical(redirect) else { return link }
        return redirect + link.dropFirst(address.count)
    }

    /// An address with an empty host written out.
    private static func canonical(_ address: String) -> String {
        guard let colon = address.firstIndex(of: ":") else { return address }
        let rest = address[address.index(after: colon)...]
        return rest.hasPrefix("/") && !rest.hasPrefix("//") ? "\(address[...colon])//\(rest)" : address
    }

    private static let unsolicited = LatchError(
        .noSignInWaits,
        "No sign-in waits for this link; nothing was changed. If you were signing in, start again.")
}
