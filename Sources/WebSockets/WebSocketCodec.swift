import CWslay
import Crypto

/// Converts between the messages and the bytes of one WebSocket connection, after its handshake. Performs no I/O.
///
/// A ping is answered with a pong, and a close frame with a close frame, both in the output. libwslay parses and writes
/// the frames.
///
/// Source: RFC 6455 §5 to §7.
package final class WebSocketCodec {
    /// The end of the connection.
    package enum Role: Sendable {
        /// Masks what it sends.
        case client
        /// Expects masked frames.
        case server
    }

    /// The maximum size of one message, in bytes.
    private let maximumMessageBytes: Int
    /// The maximum number of bytes that wait to be sent.
    private let maximumPendingBytes: Int
    private let context: wslay_event_context_ptr
    private let buffers: Buffers

    /// Creates the codec of a connection.
    ///
    /// - Parameters:
    ///   - role: The end that uses the codec.
    ///   - maximumMessageBytes: The maximum size of a message of the peer. The memory for a frame is reserved when its
    ///     content begins.
    ///   - maximumPendingBytes: The maximum size of the messages that wait for ``takeOutput(_:)``.
    package init(role: Role, maximumMessageBytes: Int, maximumPendingBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumPendingBytes = maximumPendingBytes
        buffers = Buffers(isPeerMasking: role == .server)
        var callbacks = Self.callbacks
        var context: wslay_event_context_ptr?
        let data = Unmanaged.passUnretained(buffers).toOpaque()
        let status =
            role == .client
            ? wslay_event_context_client_init(&context, &callbacks, data)
            : wslay_event_context_server_init(&context, &callbacks, data)
        guard status == 0, let context else { preconditionFailure("There is no memory for a WebSocket connection.") }
        self.context = context
        wslay_event_config_set_max_recv_msg_length(context, UInt64(maximumMessageBytes))
    }

    deinit {
        wslay_event_context_free(context)
    }

    /// Whether ``takeOutput(_:)`` returns bytes.
    package var hasOutput: Bool { wslay_event_want_write(context) != 0 }

    /// Whether both ends have sent a close frame and all output was taken.
    package var isClosed: Bool { wslay_event_want_read(context) == 0 && wslay_event_want_write(context) == 0 }

    /// Whether the codec holds nothing: no output, no part of a message and no close frame. A new codec can then replace
    /// it, so an idle connection needs no memory for one.
    package var isIdle: Bool {
        !hasOutput && buffers.expectedBytes == 0 && !buffers.isInMessage && wslay_event_get_close_sent(context) == 0
            && wslay_event_get_close_received(context) == 0
    }

    /// Reads bytes of the peer, and returns the messages that they complete.
    ///
    /// - Throws: ``WebSocketError/Code/malformed`` when the peer violates the protocol or a message is larger than
    ///   allowed; the output then has the close frame, after which the connection is to be closed.
    ///   ``WebSocketError/Code/tooLarge`` when it sends pings and does not read the pongs.
    package func receive(_ bytes: [UInt8]) throws(WebSocketError) -> [WebSocketEvent] {
        buffers.input = bytes[...]
        buffers.expectedBytes -= bytes.count
        // libwslay reads all bytes in one call. After an error it has queued a close frame and reads no more.
        let status = wslay_event_recv(context)
        let events = buffers.takeEvents()
        guard status == 0, wslay_event_get_read_enabled(context) != 0 || wslay_event_get_close_received(context) != 0
        else {
            throw WebSocketError(
                .malformed,
                "The peer violated the WebSocket protocol, or sent a message of more than \(maximumMessageBytes) bytes."
            )
        }
        try checkPending()
        return events
    }

    /// Adds a text message to the output.
    ///
    /// - Throws: ``WebSocketError/Code/closed`` after a close frame, ``WebSocketError/Code/tooLarge`` when the peer does not
    ///   read.
    package func send(_ text: String) throws(WebSocketError) {
        let bytes = Array(text.utf8)
        let status = bytes.withUnsafeBufferPointer { bytes in
            var message = wslay_event_msg(
                opcode: UInt8(WSLAY_TEXT_FRAME.rawValue), msg: bytes.baseAddress, msg_length: bytes.count)
            return wslay_event_queue_msg(context, &message)
        }
        guard status == 0 else { throw WebSocketError(.closed, "The WebSocket connection is closed.") }
        try checkPending()
    }

    /// Adds a close frame to the output. Messages that are added later are refused.
    ///
    /// - Parameter code: The status code: 1000 for a normal end, 1001 when a program ends.
    ///
    /// Source: RFC 6455 §7.4.1.
    package func close(_ code: UInt16 = 1000) {
        wslay_event_queue_close(context, code, nil, 0)
    }

    /// Removes up to `count` bytes from the output and returns them.
    package func takeOutput(_ count: Int = 16_384) -> [UInt8] {
        buffers.outputLimit = count
        wslay_event_send(context)
        defer { buffers.output = [] }
        return buffers.output
    }

    private func checkPending() throws(WebSocketError) {
        guard wslay_event_get_queued_msg_length(context) <= maximumPendingBytes,
            wslay_event_get_queued_msg_count(context) <= maximumPendingBytes / 16
        else { throw WebSocketError(.tooLarge, "The peer of a WebSocket connection does not read its messages.") }
    }
}
