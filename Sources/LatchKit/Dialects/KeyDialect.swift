import HTTPClient

/// A family whose accounts hold an API key issued by the server. Keys are listed, replaced and revoked by their ids.
package protocol KeyDialect: Dialect {
    /// The scopes that are the minimum for an account, for a person who wants no more.
    var leastScopes: [String] { get }
    /// Returns whether a key with these scopes can call the server at all.
    func canCall(with scopes: [String]) -> Bool

    /// The request that lists the person's keys.
    var keyList: DialectRequest { get }
    /// Reads the response to ``keyList``. The response does not say which key the account holds, so
    /// ``RemoteKey/isCurrent`` is always false here.
    ///
    /// - Throws: ``LatchError`` for every response that is not a list of keys.
    func keys(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> [RemoteKey]
    /// Returns the request that creates a key. Without scopes, the key gets all of them.
    func makeKey(name: String, scopes: [String]?) -> DialectRequest
    /// Reads the response to ``makeKey(name:scopes:)``: the key, its id and its scopes.
    ///
    /// - Throws: ``LatchError`` for every response without a key.
    func key(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
    /// Returns the request that revokes the key with an id.
    func revokeKey(_ id: String) -> DialectRequest
}
