/// What a peer sent over a WebSocket connection.
package enum WebSocketEvent: Equatable, Sendable {
    /// A complete text message. It is valid UTF-8.
    case text(String)
    /// A complete binary message.
    case binary([UInt8])
    /// The peer closes the connection, with its status code. 1005 means that it sent none. The response is in the
    /// output already.
    ///
    /// Source: RFC 6455 §7.4.
    case close(UInt16)
}
