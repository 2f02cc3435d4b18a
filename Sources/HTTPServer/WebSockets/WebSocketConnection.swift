import CLibrary
import CMicroHTTPD
import WebSockets

/// One WebSocket connection. It has no thread, and no buffers while it is idle.
///
/// Its socket is in the epoll set of its loop. Reads and writes never block.
package final class WebSocketConnection: @unchecked Sendable {  // Used only on the loop's thread, except as noted.
    /// A state of a connection.
    private enum Phase {
        /// The state in which messages are exchanged.
        case open
        /// The state after this server has sent its close frame, until the client's arrives.
        case closing
        /// The state after everything was sent. Further bytes are ignored, so that the client reads what was sent.
        case lingering
        /// The state after the socket was closed.
        case ended
    }

    /// Why this server ends a connection.
    ///
    /// Source: RFC 6455 §7.4.1.
    enum CloseCode: UInt16 {
        case normal = 1000
        case goingAway = 1001
        case unsupportedData = 1003
        case policyViolation = 1008
    }

    /// The limit on the bytes that wait to be sent, in bytes. A client that does not read is disconnected.
    private static let maximumPendingBytes = 65_536
    /// The limit on received bytes in each second. A client that sends faster is disconnected.
    private static let maximumBytesPerSecond = 65_536
    /// The limit on messages that wait for the handler.
    private static let maximumWaitingMessages = 32

    /// The text messages of the client, in order. They end with the connection. For one consumer; thread-safe.
    package let messages: AsyncStream<String>
    private let received: AsyncStream<String>.Continuation
    private let descriptor: Int32
    private let loop: EventLoop
    private let maximumMessageBytes: Int
    let isForwarded: Bool
    private let release: () -> Void
    private var phase = Phase.open
    /// Nil while the connection is idle.
    private var codec: WebSocketCodec?
    private var unsent: ArraySlice<UInt8> = []
    private var isWaitingToSend = false
    private var countedBytes = 0
    private var countStart: UInt64
    private var task: Task<Void, Never>?
    /// When the connection is ended. `UInt64.max` unless it waits for the client.
    private(set) var deadline = UInt64.max

    /// Creates a connection on an open socket.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - loop: The loop, on whose thread the initializer is called.
    ///   - maximumMessageBytes: The maximum size of a message of the client.
    ///   - isForwarded: Whether libmicrohttpd forwards the bytes between the socket and the client.
    ///   - release: Closes the socket.
    init(
        _ descriptor: Int32, loop: EventLoop, maximumMessageBytes: Int, isForwarded: Bool,
        release: @escaping () -> Void
    ) {
        self.isForwarded = isForwarded
        self.descriptor = descriptor
        self.loop = loop
        self.maximumMessageBytes = maximumMessageBytes
        self.release = release
        countStart = loop.now
        (messages, received) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaitingMessages))
    }

    // MARK: - Any thread

    /// Sends a text message. After the end of the connection, this has no effect. When more than 64 KiB wait for a
    /// client that does not read, the connection ends. May be called on any thread.
    package func send(_ text: String) {
        loop.perform { _ in self.write { codec throws(WebSocketError) in try codec.send(text) } }
    }

    /// Ends the connection with a close frame, after the messages that were sent before. May be called on any thread.
    package func close() {
        loop.perform { _ in self.end(.normal) }
    }

    // MARK: - Loop

    /// Starts the handler, with the bytes that arrived together with the request.
    func start(_ upgrade: WebSocketUpgrade, received bytes: [UInt8]) {
        loop.runningTasks += 1
        let task = Task.immediate(executorPreference: loop) { [self, loop] in
            await upgrade.handle(self)
            loop.runningTasks -= 1
            end(.normal)
        }
        if phase == .open { self.task = task }
        if !bytes.isEmpty { receive(bytes) }
        if loop.hasStoppedListening { end(.goingAway) }
    }

    /// Reads and writes what the socket allows.
    func handleEvent() {
        if isWaitingToSend { flush() }
        guard phase != .ended else { return }
        var isOpen = true
        let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            let result = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            isOpen = result > 0 || result < 0 && (errno == EAGAIN || errno == EINTR)
            count = max(0, result)
        }
        guard isOpen else { return abort() }
        if !bytes.isEmpty { receive(bytes) }
    }

    /// Sends a close frame. The client has two seconds to answer it.
    func end(_ code: CloseCode) {
        guard phase == .open else { return }
        stopHandler()
        beginClosing()
        write { codec in codec.close(code.rawValue) }
    }

    /// Closes the socket in any state.
    func abort() {
        guard phase != .ended else { return }
        phase = .ended
        deadline = .max
        codec = nil
        unsent = []
        loop.remove(self, descriptor)
        release()
        stopHandler()
    }

    private func beginClosing() {
        phase = .closing
        deadline = loop.now + loop.settings.lingerTimeout
    }

    private func stopHandler() {
        received.finish()
        task?.cancel()
        task = nil
    }

    private func receive(_ bytes: [UInt8]) {
        guard phase == .open || phase == .closing else { return }
        guard countReceived(bytes.count) else { return end(.policyViolation) }
        let codec = openCodec()
        do throws(WebSocketError) {
            for event in try codec.receive(bytes) { deliver(event) }
        } catch {
            // Pings whose pongs the client does not read; otherwise the codec has a close frame for the client.
            if error.code == .tooLarge { return abort() }
            stopHandler()
            beginClosing()
        }
        flush()
    }

    private func deliver(_ event: WebSocketEvent) {
        switch event {
        case .text(let text):
            if case .dropped = received.yield(text) { end(.policyViolation) }
        case .binary: end(.unsupportedData)
        case .close: stopHandler()
        }
    }

    private func countReceived(_ count: Int) -> Bool {
        if loop.now &- countStart >= 1_000_000_000 {
            countStart = loop.now
            countedBytes = 0
        }
        countedBytes += count
        return countedBytes <= Self.maximumBytesPerSecond
    }

    private func openCodec() -> WebSocketCodec {
        if let codec { return codec }
        let new = WebSocketCodec(
            role: .server, maximumMessageBytes: maximumMessageBytes, maximumPendingBytes: Self.maximumPendingBytes)
        codec = new
        return new
    }

    private func write(_ action: (WebSocketCodec) throws(WebSocketError) -> Void) {
        guard phase == .open || phase == .closing else { return }
        do throws(WebSocketError) { try action(openCodec()) } catch {
            // After a close frame nothing may follow. Otherwise the client does not read.
            if error.code == .tooLarge { abort() }
            return
        }
        flush()
    }

    /// Sends the output. When the socket is full, the rest waits for the next event.
    private func flush() {
        while phase == .open || phase == .closing {
            if unsent.isEmpty {
                guard let codec, codec.hasOutput else { break }
                unsent = codec.takeOutput()[...]
            }
            let count = unsent.withUnsafeBytes {
                CLibrary.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN ? waitToSend() : abort()
            }
            unsent.removeFirst(count)
            if phase == .open { deadline = .max }
        }
        if unsent.isEmpty { outputIsSent() }
    }

    private func waitToSend() {
        if phase == .open, deadline == .max { deadline = loop.now + loop.settings.idleTimeout }
        guard !isWaitingToSend else { return }
        isWaitingToSend = true
        loop.watch(descriptor, isWaitingToSend: true)
    }

    private func outputIsSent() {
        if isWaitingToSend {
            isWaitingToSend = false
            loop.watch(descriptor, isWaitingToSend: false)
        }
        unsent = []
        guard let codec else { return }
        if codec.isClosed, isForwarded {
            // libmicrohttpd 0.9.75 sends what it has and then closes, but never closes after a half-closed socket.
            abort()
        } else if codec.isClosed {
            // Closing both directions could reset the connection before the client has read the close frame.
            _ = shutdown(descriptor, Int32(SHUT_WR))
            phase = .lingering
            deadline = loop.now + loop.settings.lingerTimeout
            self.codec = nil
        } else if phase == .open, codec.isIdle {
            self.codec = nil
        }
    }
}
