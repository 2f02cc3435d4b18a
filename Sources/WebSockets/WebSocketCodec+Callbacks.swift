import CWslay
import Crypto

extension WebSocketCodec {
    /// The bytes and events between libwslay's callbacks and the codec.
    final class Buffers {
        var input: ArraySlice<UInt8> = []
        var output: [UInt8] = []
        var outputLimit = 0
        /// The number of bytes until the end of the frames that have begun. Negative while a head is incomplete.
        var expectedBytes = 0
        /// Whether a message has begun whose last frame has not.
        var isInMessage = false
        /// Whether the frames of the peer are masked.
        let isPeerMasking: Bool
        private var events: [WebSocketEvent] = []

        init(isPeerMasking: Bool) {
            self.isPeerMasking = isPeerMasking
        }

        func takeEvents() -> [WebSocketEvent] {
            defer { events = [] }
            return events
        }

        /// Records the start of a frame, whose length includes its head.
        ///
        /// Source: RFC 6455 §5.2.
        func begin(_ frame: wslay_event_on_frame_recv_start_arg, isMasked: Bool) {
            let extended = frame.payload_length < 126 ? 0 : frame.payload_length < 65_536 ? 2 : 8
            expectedBytes += 2 + extended + (isMasked ? 4 : 0) + Int(clamping: frame.payload_length)
            // A control frame may come between the frames of a message.
            if frame.opcode < WSLAY_CONNECTION_CLOSE.rawValue { isInMessage = frame.fin == 0 }
        }

        func add(_ message: wslay_event_on_msg_recv_arg) {
            let bytes = Array(UnsafeBufferPointer(start: message.msg, count: message.msg_length))
            switch UInt32(message.opcode) {
            case WSLAY_TEXT_FRAME.rawValue: events.append(.text(String(decoding: bytes, as: UTF8.self)))
            case WSLAY_BINARY_FRAME.rawValue: events.append(.binary(bytes))
            case WSLAY_CONNECTION_CLOSE.rawValue:
                events.append(.close(message.status_code == 0 ? 1005 : message.status_code))
            default: break
            }
        }
    }

    private static func buffers(_ data: UnsafeMutableRawPointer?) -> Buffers? {
        data.map { Unmanaged<Buffers>.fromOpaque($0).takeUnretainedValue() }
    }

    static let callbacks = wslay_event_callbacks(
        recv_callback: { context, buffer, length, _, data in
            guard let buffers = WebSocketCodec.buffers(data), let buffer, !buffers.input.isEmpty else {
                wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
                return -1
            }
            let count = min(length, buffers.input.count)
            _ = UnsafeMutableBufferPointer(start: buffer, count: count).update(from: buffers.input.prefix(count))
            buffers.input.removeFirst(count)
            return count
        },
        send_callback: { context, bytes, length, _, data in
            guard let buffers = WebSocketCodec.buffers(data), buffers.output.count < buffers.outputLimit else {
                wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
                return -1
            }
            let count = min(length, buffers.outputLimit - buffers.output.count)
            buffers.output += UnsafeBufferPointer(start: bytes, count: count)
            return count
        },
        genmask_callback: { _, buffer, length, _ in
            // RFC 6455 §5.3: a mask must not be predictable.
            for (index, byte) in SecureRandom.bytes(length).enumerated() { buffer?[index] = byte }
            return 0
        },
        on_frame_recv_start_callback: { _, frame, data in
            guard let frame, let buffers = WebSocketCodec.buffers(data) else { return }
            buffers.begin(frame.pointee, isMasked: buffers.isPeerMasking)
        },
        on_frame_recv_chunk_callback: nil,
        on_frame_recv_end_callback: nil,
        on_msg_recv_callback: { _, message, data in
            guard let message else { return }
            WebSocketCodec.buffers(data)?.add(message.pointee)
        })
}
