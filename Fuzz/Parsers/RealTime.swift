import HTTPMessages

@testable import HTTPClient
@testable import SocketIO
@testable import WebSockets

extension FuzzedParser {
    static let realTime = [
        // Bytes of a peer; the first one chooses the end that receives them.
        FuzzedParser("websocket") { input in
            guard let first = input.first else { return }
            let codec = WebSocketCodec(
                role: first & 1 == 0 ? .client : .server, maximumMessageBytes: 4_096, maximumPendingBytes: 8_192)
            var total = 0
            for event in (try? codec.receive(Array(input.dropFirst()))) ?? [] {
                if case .text(let text) = event { total += text.utf8.count }
                if case .binary(let bytes) = event { total += bytes.count }
            }
            try require(total <= input.count, "Messages have more bytes than their frames.")
        },
        // The response to a request for a connection; the first byte chooses the size of the pieces.
        FuzzedParser("upgrade-response") { input in
            guard let first = input.first else { return }
            let bytes = Array(input.dropFirst())
            var (whole, pieces) = (ResponseHeadReader(), ResponseHeadReader())
            guard let head = try? whole.append(bytes) else { return }
            var start = 0
            while start < bytes.count {
                let end = min(start + Int(first) + 1, bytes.count)
                defer { start = end }
                guard let same = try? pieces.append(Array(bytes[start..<end])) else { continue }
                try require(same == head, "A head in pieces has another meaning.")
                try require(pieces.rest + bytes[end...] == whole.rest, "The bytes after the head differ.")
                return
            }
            try require(false, "A head in pieces was not found.")
        },
        // The body of a refusal; the first byte chooses the size of the pieces.
        FuzzedParser("chunked-body") { input in
            guard let first = input.first else { return }
            let bytes = Array(input.dropFirst())
            var (whole, pieces) = (ChunkedBodyReader(maximumBytes: 4_096), ChunkedBodyReader(maximumBytes: 4_096))
            guard let body = try? whole.append(bytes) else { return }
            try require(body.count <= min(4_096, bytes.count), "A body is larger than allowed.")
            for start in stride(from: 0, to: bytes.count, by: Int(first) + 1) {
                guard let same = try? pieces.append(Array(bytes[start...].prefix(Int(first) + 1))) else { continue }
                return try require(same == body, "A body in pieces was read differently.")
            }
            try require(false, "A body in pieces was not found.")
        },
        // A text message of a server or a client.
        FuzzedParser("socket-io") { input in
            guard let packet = EngineIOPacket(input.text) else { return }
            try require(EngineIOPacket(packet.text) == packet, "A packet of Engine.IO changed when it was written.")
            guard case .message(let text) = packet, let message = SocketIOPacket(text) else { return }
            try require(SocketIOPacket(message.text) == message, "A packet of Socket.IO changed when it was written.")
        },
    ]
}
