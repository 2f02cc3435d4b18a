public import OAuth

/// What a family that signs people in with the system's browser says besides.
///
/// The browser goes to an identity provider, through the server or straight, and comes back to the program with a code.
///
/// Source: RFC 8252; OX-9.
public protocol BrowserDialect: Dialect {
    /// The address of a custom scheme that its servers send the browser back to, where nothing else is arranged.
    var callback: String { get }
    /// The path of a loopback address that its servers may send the browser back to.
    var loopbackPath: String { get }
    /// Whether its sign-ins want a browser that shares nothing with the person's own; where there is none, that one does.
    var wantsEphemeralBrowser: Bool { get }
    /// Whether a server sends browsers back to loopback addresses; one that does not answer does not.
    ///
    /// - Throws: `CancellationError` only.
    func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection) async throws(CancellationError)
        -> Bool

    /// Begins a sign-in: asks the server what must be asked before the browser opens.
    ///
    /// - Returns: What the browser opens, and how the sign-in is finished; it holds the verifier, in memory only.
    /// - Throws: ``LatchError`` when it cannot begin; `CancellationError`.
    func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> BrowserJourney
}

extension BrowserDialect {
    /// They do not: whoever is signed in at the provider already need not sign in again.
    public var wantsEphemeralBrowser: Bool { false }
}

/// What a sign-in with the browser begins with.
public struct BrowserStart: Sendable {
    /// Where the browser is to come back to.
    public var redirect: String
    /// Ties the answer to this sign-in, unless the server makes a `state` of its own.
    public var state: State
    /// The identity provider's id on the server; nil leaves the choice to the server.
    public var provider: String?
    /// What the account's key may do, where the server makes one; nil for everything.
    public var scopes: [String]?
    /// Notes the key that the server is about to be asked for, where a sign-in ends in one; before it is asked.
    var noteKey: @Sendable (Identity) async throws -> KeyIntent
}

/// A sign-in that waits for the browser.
public struct BrowserJourney: Sendable {
    /// What the browser opens.
    public var address: String
    /// What must come back; nil where the server makes it when the browser is there already, so that nobody here can know
    /// it: then the first link to the redirect address is taken.
    public var state: State?
    /// The issuer that must stand in the answer as `iss`, where it was announced.
    public var issuer: String?
    /// Redeems what came back. It is called once, after `state` was compared.
    public var finish: @Sendable (BrowserReturn) async throws -> Grant

    /// Makes a journey.
    public init(
        address: String, state: State?, issuer: String? = nil,
        finish: @escaping @Sendable (BrowserReturn) async throws -> Grant
    ) {
        self.address = address
        self.state = state
        self.issuer = issuer
        self.finish = finish
    }
}

/// What the browser came back with, after everything that can be compared was.
public struct BrowserReturn: Sendable {
    /// The code.
    public var code: Secret
    /// The link's `state`.
    public var state: State
    /// The whole link, as it came; it holds the code.
    public var link: Secret
}
