import CLibrary
import CMicroHTTPD
import HTTPMessages
import Primitives

/// One request and its response, from the request line to the end of the response.
///
/// The connection owns it until libmicrohttpd reports that the request is completed. When the client disconnects first,
/// the task of the handler keeps it longer, and the response is discarded.
final class Exchange: @unchecked Sendable {  // Used only on the loop's thread, which also runs the handler's task.
    /// The progress of the request.
    enum Step {
        /// The state after the request line.
        case head
        /// The state after the head, until the admission check has returned.
        case admission
        /// The state after the head is accepted, until the body is complete.
        case body
        /// The state while the handler runs.
        case handling
        /// The state once there is a response.
        case answered
        /// The state after a refusal was sent without libmicrohttpd.
        case refused
        /// The state after the client has disconnected.
        case abandoned
    }

    let id: String
    let connection: ClientConnection
    let target: String
    let targetStart: UnsafePointer<CChar>
    let start: UInt64
    var step = Step.head
    /// The head. Nil before it is read, and after the body was refused: a client that does not read the response must
    /// not keep the memory in use.
    var head: RequestHead?
    /// The request method. `-` before the head is read.
    var method = HTTPMethod(rawValue: "-")
    var path: String?
    var query: String?
    var body: [UInt8] = []
    /// The number of received bytes of the body, whether they are kept or not.
    var bodyCount = 0
    /// The memory of the body in bytes, here or in the handler.
    var bodyKept = 0
    /// The maximum size of the body in bytes.
    var maximumBodyBytes = 0
    /// Whether there is a handler for which the body is kept.
    var keepsBody = true
    /// The size of the head in bytes.
    var headCount = 0
    /// The number of bytes of this request that are counted.
    private var countedMemory = 0
    /// The place of the request among the incomplete ones. Nil before it is counted, and once it is complete.
    private var incompleteEntry: ExchangeMemory.Entry?
    /// The number of bytes of the response in memory.
    private var unsentBytes = 0
    /// The place of the response among those that are not sent completely. Nil unless it is counted.
    private var unsentEntry: ExchangeMemory.Entry?
    /// Whether ``countMemory()`` will be called at the end of the turn.
    private var isCountPending = false
    /// Whether libmicrohttpd has ended the request. Memory that is counted after that would never be removed.
    private var isOver = false
    /// Whether libmicrohttpd will report the head again. Version 0.9.75 does so when a connection was suspended while
    /// it reported the head.
    var isHeadRepeated = false
    /// The admission check of the route. Nil when there is none or it has been called.
    var admission: Router.Admission?
    var response: ServerResponse?
    var route: String?
    /// The place of the request in a distributed trace. Nil when it is not traced.
    var trace: TraceContext?
    var status: HTTPStatus?
    var answerBytes = 0
    /// The body that is being sent, unless it is in memory.
    var outgoingBody: OutgoingBody?
    /// The response that is being sent, if it can be sent again afterwards.
    var reusableResponse: ReusableResponse?
    /// The WebSocket connection that begins after the response.
    var webSocket: WebSocketUpgrade?
    var isSuspended = false
    var task: Task<Void, Never>?
    let handle: OpaquePointer

    var loop: EventLoop { connection.daemon.loop }

    init(id: String, connection: ClientConnection, handle: OpaquePointer, target: UnsafePointer<CChar>) {
        self.id = id
        self.connection = connection
        self.handle = handle
        self.target = String(cString: target)
        targetStart = target
        start = connection.daemon.loop.now
    }

    /// The request as passed to the error response of the router.
    var refused: RefusedRequest {
        RefusedRequest(id: id, method: method, path: shownPath, headers: head?.headers ?? [:])
    }

    private var shownPath: String { path ?? String(target.prefix(beforeBytes: "?")) }

    /// Whether the body was sent in chunks. libmicrohttpd 0.9.75 accepts a bare LF in their framing, which a proxy may
    /// not. The connection is closed after such a request, so that no part of it can be read as a second request.
    ///
    /// Source: RFC 9112 §7.1 and §11.2.
    var isChunked: Bool { head.map { $0.contentLength == nil } ?? false }

    /// The value of `Strict-Transport-Security`. Nil when the field is not sent.
    var strictTransport: String? {
        guard let policy = loop.settings.strictTransport else { return nil }
        return policy.value(for: connection.security, head?.headers)
    }

    /// Takes the response of the handler.
    func finish(_ newResponse: ServerResponse) {
        task = nil
        loop.runningTasks -= 1
        releaseMemory()
        guard step == .handling else { return }
        response = newResponse
        resume()
    }

    /// Takes the result of the admission check. Nil accepts the body; a response refuses it.
    func finishAdmission(_ newResponse: ServerResponse?) {
        task = nil
        loop.runningTasks -= 1
        guard step == .admission else { return }
        step = .body
        // Starts the timeout of the body again, because nothing was read during the check.
        if let newResponse { refuseBody(newResponse) } else { connection.enter(.body) }
        resume()
    }

    /// Cancels the handler or the producer of the body, because the client has disconnected, and returns the connection
    /// to libmicrohttpd to be closed.
    func clientDisconnected() {
        outgoingBody?.abandon()
        releaseMemory()
        guard step == .handling || step == .admission else { return }
        step = .abandoned
        task?.cancel()
        task = nil
        resume()
    }

    /// Records that libmicrohttpd has ended the request, with or without a response.
    func end() {
        clientDisconnected()
        leaveUnsent()
        isOver = true
    }

    func suspend() {
        isSuspended = true
        MHD_suspend_connection(handle)
        connection.enter(.handling)
        scheduleMemoryCount()
    }

    /// Records that the request uses memory. It is counted at the end of the turn if the request is still incomplete.
    func scheduleMemoryCount() {
        guard !isCountPending else { return }
        isCountPending = true
        loop.uncounted.append(self)
    }

    /// Counts the memory of the request. If its body is incomplete and there is no room, the incomplete requests that
    /// have waited longest are refused. A complete request that waits for its handler is never refused.
    func countMemory() {
        isCountPending = false
        guard !isOver else { return }
        // The fields of the head are in memory twice: in libmicrohttpd's buffer and as strings.
        let more = headCount * 2 + bodyKept - countedMemory
        switch step {
        case .handling:
            leaveIncomplete()
            loop.settings.requestMemory.add(more)
        case .body, .admission:
            let address = loop.settings.connectionCounter.key(of: connection.peer)
            let entry = incompleteEntry ?? loop.incomplete.entry(for: self, from: address)
            incompleteEntry = entry
            loop.incomplete.add(more, to: entry) { $0.makeRoom() }
        case .answered: return countUnsent()
        case .head, .refused, .abandoned: return
        }
        countedMemory += more
    }

    /// The size in bytes from which a response is counted. A smaller one mostly fits into the buffer of the socket.
    private static let minimumUnsentBytes = 16_384

    /// Records the size of a response in memory. It is counted if it is not sent completely at the end of the turn.
    func scheduleResponseCount(_ count: Int) {
        guard count >= Self.minimumUnsentBytes else { return }
        unsentBytes = count
        scheduleMemoryCount()
    }

    private func countUnsent() {
        guard unsentBytes > 0, unsentEntry == nil else { return }
        let entry = loop.unsent.entry(for: self, from: loop.settings.connectionCounter.key(of: connection.peer))
        unsentEntry = entry
        loop.unsent.add(unsentBytes, to: entry) { $0.cutOff() }
    }

    /// Closes the connection in the middle of the response, because others need its memory.
    private func cutOff() {
        leaveUnsent()
        loop.settings.cutResponses.record(connection.peer, now: loop.now, loop.settings.onLog)
        connection.shutDown()
    }

    private func leaveUnsent() {
        if let unsentEntry { loop.unsent.remove(unsentEntry) }
        unsentEntry = nil
    }

    /// Refuses the request if it is still incomplete, because others need its memory.
    private func makeRoom() {
        guard step == .body || step == .admission else { return leaveIncomplete() }
        if step == .admission {
            task?.cancel()
            // refuseBody() requires this step, and finishAdmission() ignores a result that comes after it.
            step = .body
        }
        refuseForMemory()
        resume()
    }

    /// Refuses the request while its head or body is incomplete, because others need its memory.
    func refuseForMemory() {
        var newResponse = loop.settings.router.errorResponse(.serviceUnavailable, Self.noRoom, refused)
        newResponse.headers["Retry-After"] = "5"
        refuseBody(newResponse)
    }

    private static let noRoom = "The server has too many incomplete requests; send it again without pauses."

    /// Counts the memory of the request as that of a complete one.
    private func leaveIncomplete() {
        guard let entry = incompleteEntry else { return }
        incompleteEntry = nil
        loop.incomplete.remove(entry)
        loop.settings.requestMemory.add(countedMemory)
    }

    private func releaseMemory() {
        leaveIncomplete()
        loop.settings.requestMemory.remove(countedMemory)
        countedMemory = 0
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(handle)
        connection.daemon.needsRun = true
    }

    /// Writes a refusal directly to the socket where libmicrohttpd accepts no response: in the middle of a body, or
    /// while a head is incomplete. No other bytes are being sent at that time.
    func respondDirectly(_ refusal: Refusal) {
        refuseBody(loop.settings.router.errorResponse(refusal.status, refusal.message, refused))
    }

    /// Does the same as ``respondDirectly(_:)`` with a complete response.
    func refuseBody(_ response: ServerResponse) {
        guard step == .head || step == .body else { return }
        let bytes = ResponseWriter.bytes(of: response, self)
        if let session = connection.security.session {
            session.send(bytes)
            session.sendCloseNotify()
        } else {
            // A short write is not repeated: the connection ends, and `Content-Length` shows that bytes are missing.
            _ = bytes.withUnsafeBytes {
                send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
        // Closing both directions while bytes arrive could reset the connection before the client has read the refusal.
        // See RFC 9112 §9.6.
        _ = shutdown(connection.descriptor, Int32(SHUT_WR))
        step = .refused
        status = response.status
        answerBytes = response.body.bytes?.count ?? 0
        body = []
        bodyKept = 0
        head = nil
        releaseMemory()
        connection.enter(.lingering)
    }

    var record: AccessRecord {
        AccessRecord(
            id: id, method: method, path: shownPath, route: route,
            status: status ?? AccessRecord.clientClosed, bytes: answerBytes,
            duration: .nanoseconds(Int64(clamping: EventLoop.readClock() - start)), peer: connection.peer,
            traceID: trace?.traceID)
    }
}
