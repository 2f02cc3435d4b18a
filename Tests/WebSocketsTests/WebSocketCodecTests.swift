import TestSupport
import Testing

@testable import WebSockets

@Suite("WebSocket connections")
struct WebSocketCodecTests {
    private let client = WebSocketCodec(role: .client, maximumMessageBytes: 1_000, maximumPendingBytes: 4_000)
    private let server = WebSocketCodec(role: .server, maximumMessageBytes: 1_000, maximumPendingBytes: 4_000)

    @Test("IM-6 the accepted key is that of RFC 6455's example, and a key is 16 bytes")
    func handshake() {
        #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketHandshake.isKey(WebSocketHandshake.key()))
        #expect(!WebSocketHandshake.isKey("dGhlIHNhbXBsZSBub25jZQ"))
        #expect(!WebSocketHandshake.isKey(String(repeating: "=", count: 24)))
    }

    @Test("IM-6 messages arrive in both directions, also one byte at a time")
    func bothDirections() throws {
        try client.send("one")
        try client.send("zwei ä")
        let sent = client.takeOutput()
        #expect(!client.hasOutput)
        #expect(try sent.flatMap { try server.receive([$0]) } == [.text("one"), .text("zwei ä")])
        try server.send("three")
        #expect(try client.receive(server.takeOutput()) == [.text("three")])
        // Masks are random, so the same message never has the same bytes.
        try client.send("one")
        #expect(client.takeOutput() != Array(sent.prefix(9)))
    }

    @Test("IM-6 a ping is answered with its bytes, between the parts of a message")
    func fragments() throws {
        let parts: [UInt8] = [0x01, 2, 0x61, 0x62, 0x89, 1, 0x70, 0x80, 1, 0x63]
        #expect(try client.receive(parts) == [.text("abc")])
        #expect(client.takeOutput().first == 0x8A)
    }

    @Test("IM-6 a codec is idle only between messages, without output and before a close frame")
    func idle() throws {
        #expect(client.isIdle && server.isIdle)
        for length in [1, 125, 126, 1_000] {
            try client.send(String(repeating: "x", count: length))
            #expect(!client.isIdle)
            for byte in client.takeOutput() {
                #expect(try server.receive([byte]).isEmpty != server.isIdle)
            }
            #expect(client.isIdle)
        }
        // The first part of a message, with a ping after it.
        _ = try client.receive([0x01, 1, 0x61])
        #expect(!client.isIdle)
        _ = try client.receive([0x89, 0])
        _ = client.takeOutput()
        #expect(!client.isIdle)
        _ = try client.receive([0x80, 1, 0x62])
        #expect(client.isIdle)
        server.close()
        _ = server.takeOutput()
        #expect(!server.isIdle)
    }

    @Test("IM-6 a close frame is answered, and nothing can be sent after it")
    func close() throws {
        server.close(1001)
        #expect(try client.receive(server.takeOutput()) == [.close(1001)])
        #expect(throws: WebSocketError.self) { try client.send("late") }
        #expect(try server.receive(client.takeOutput()) == [.close(1001)])
        #expect(client.isClosed && server.isClosed)
    }

    @Test(
        "IM-6 frames that violate the protocol end the connection",
        arguments: [
            [0x81, 1, 0xFF],  // A text that is not UTF-8.
            [0x83, 0],  // An unknown type of frame.
            [0xC1, 1, 0x61],  // A reserved bit.
            [0x09, 0],  // A ping in parts.
            [0x89, 126, 0, 126] + [UInt8](repeating: 0, count: 126),  // A ping of more than 125 bytes.
            [0x80, 1, 0x61],  // A continuation of nothing.
            [0x01, 1, 0x61, 0x81, 1, 0x62],  // A message within another one.
            [0x81, 126, 0x03, 0xE9, 0x61],  // A message of 1,001 bytes.
            [0x81, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x61],  // One of 8 EiB.
        ] as [[UInt8]])
    func violations(_ bytes: [UInt8]) {
        #expect(throws: WebSocketError.self) { try client.receive(bytes) }
        #expect(client.takeOutput().first == 0x88)
    }

    @Test("IM-6 a server refuses frames without a mask, and a client refuses frames with one")
    func masks() throws {
        #expect(throws: WebSocketError.self) { try server.receive([0x81, 1, 0x61]) }
        let other = WebSocketCodec(role: .client, maximumMessageBytes: 10, maximumPendingBytes: 100)
        try other.send("a")
        #expect(throws: WebSocketError.self) { try client.receive(other.takeOutput()) }
    }

    @Test("IM-6 a peer that sends pings and reads nothing ends the connection")
    func flood() {
        #expect(throws: WebSocketError.self) {
            for _ in 0..<10_000 { _ = try client.receive([0x89, 1, 0x70]) }
        }
    }

    @Test("IM-6 a peer that reads no messages ends the connection")
    func slowReader() {
        #expect(throws: WebSocketError.self) {
            for _ in 0..<10_000 { try server.send("some text of a message") }
        }
    }
}
