package import HTTPMessages

/// A family whose servers send events over Socket.IO.
///
/// Source: the Socket.IO protocol, revision 5.
package protocol RealTimeDialect: Dialect {
    /// The request that opens the WebSocket connection, sent with the token in a header field.
    var realTime: DialectRequest { get }
    /// Reads an event of the server. An event that the family does not know becomes
    /// ``RealTimeEvent/other(name:arguments:)``.
    func event(_ name: String, _ arguments: [JSONValue]) -> RealTimeEvent
}
