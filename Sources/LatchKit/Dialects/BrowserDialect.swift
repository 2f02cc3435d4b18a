public import OAuth

/// What a family that signs people in with the system's browser says besides.
///
/// The program makes `state` and a PKCE verifier, the browser goes through the server to an identity provider, and the
/// server sends it back to the program with a code, which only the verifier's holder can redeem.
///
/// Source: RFC 8252; OX-9.
public protocol BrowserDialect: Dialect {
    /// The address of a custom scheme that its servers send the browser back to, where nothing else is arranged.
    var callback: String { get }
    /// The path of a loopback address that its servers may send the browser back to.
    var loopbackPath: String { get }
    /// Where a server may tell whether it sends browsers back to loopback addresses: a whole address; nil where none does.
    func loopbackQuestion(to server: ServerAddress) -> String?
    /// Reads the answer to ``loopbackQuestion(to:)``.
    func allowsLoopback(_ answer: ClientResponse, of server: ServerAddress) -> Bool

    /// The path that the browser opens.
    func browserPath(_ request: BrowserRequest) -> String
    /// The request that redeems a code.
    func exchange(code: Secret, verifier: PKCE.Verifier) -> DialectRequest
    /// Reads the answer to ``exchange(code:verifier:)``.
    ///
    /// - Throws: A ``LatchError`` for every answer that brings no token; `server` is named in its message.
    func grant(fromExchange answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
}

/// What the browser asks a server for.
public struct BrowserRequest: Sendable {
    /// Where the browser is to come back to.
    public var redirect: String
    /// Ties the answer to this request.
    public var state: State
    /// Ties the code to its asker.
    public var challenge: PKCE.Challenge
    /// The identity provider's id on the server; nil leaves the choice to the server.
    public var provider: String?
}
