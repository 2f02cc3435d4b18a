import CMicroHTTPD
import Glibc
import Wire

/// One request on its way through the server, from its request line to the end of its answer.
///
/// The connection owns it until libmicrohttpd says the request is completed; the handler's task keeps it longer when
/// the client went away first, and then its answer is dropped.
final class Exchange: @unchecked Sendable {  // Only the loop's thread touches it; the handler's task runs there too.
    /// How far the request has come.
    enum Step {
        /// The state once the request line is in.
        case head
        /// The state once the head is in and until the admission check has answered.
        case admission
        /// The state once the head is accepted and until the body is complete.
        case body
        /// The state once the handler runs.
        case handling
        /// The state once there is an answer.
        case answered
        /// The state once a refusal was sent past libmicrohttpd.
        case refused
        /// The state once the client is gone.
        case abandoned
    }

    let id: String
    let connection: ClientConnection
    let target: String
    let targetStart: UnsafePointer<CChar>
    let start: UInt64
    var step = Step.head
    /// nil before it is read, and after a refusal of the body: a client that does not read the answer must not hold it.
    var head: RequestHead?
    /// `-` before the head is read.
    var method = HTTPMethod(rawValue: "-")
    var path: String?
    var query: String?
    var body: [UInt8] = []
    /// How many bytes of the body came, kept or not.
    var bodyCount = 0
    /// How many bytes of memory the body takes, here or in the handler.
    var bodyKept = 0
    /// The most that may come.
    var maximumBodyBytes = 0
    /// Whether there is a handler to keep the body for.
    var keepsBody = true
    /// The size of the head in bytes.
    var headCount = 0
    /// How many bytes of this request are counted in the memory budget.
    private var weight = 0
    /// Whether ``weigh()`` is due at the end of the turn.
    private var isUnweighed = false
    /// Whether libmicrohttpd has ended the request. Memory that is counted after that would never be returned to the budget.
    private var isOver = false
    /// Whether libmicrohttpd will report the head again, as 0.9.75 does after a connection was suspended while it reported it.
    var isHeadToldAgain = false
    /// The route's admission check; nil when there is none or it was called.
    var admission: Router.Admission?
    var response: ServerResponse?
    var route: String?
    var status: HTTPStatus?
    var answerBytes = 0
    /// The body on its way out, where it is not bytes in memory.
    var answerBody: AnswerBody?
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

    /// What goes into an error envelope.
    var refused: RefusedRequest {
        RefusedRequest(id: id, method: method, path: shownPath, headers: head?.headers ?? [:])
    }

    private var shownPath: String { path ?? String(target.prefix { $0 != "?" }) }

    /// Whether the body came in chunks. libmicrohttpd 0.9.75 takes a bare LF in their framing, where a proxy may not: the
    /// connection ends with such a request, so that nothing after it can be read as a second one.
    ///
    /// Source: RFC 9112 §7.1 and §11.2.
    var isChunked: Bool { head.map { $0.contentLength == nil } ?? false }

    /// The value of `Strict-Transport-Security`, where it belongs.
    var strictTransport: String? {
        guard let policy = loop.settings.strictTransport else { return nil }
        return policy.value(for: connection.security, head?.headers)
    }

    /// The handler has answered.
    func finish(_ answer: ServerResponse) {
        task = nil
        loop.runningTasks -= 1
        giveBackWeight()
        guard step == .handling else { return }
        response = answer
        resume()
    }

    /// The admission check has answered: nil lets the body come, an answer refuses it.
    func finishAdmission(_ answer: ServerResponse?) {
        task = nil
        loop.runningTasks -= 1
        guard step == .admission else { return }
        step = .body
        if let answer { refuseBody(answer) } else { connection.enter(.body) }
        resume()
    }

    /// Nobody waits for the answer any more: the handler, or the body's producer, is cancelled and the connection given back to be closed.
    func clientWentAway() {
        answerBody?.abandon()
        giveBackWeight()
        guard step == .handling || step == .admission else { return }
        step = .abandoned
        task?.cancel()
        task = nil
        resume()
    }

    /// libmicrohttpd has ended the request, answered or not.
    func end() {
        clientWentAway()
        isOver = true
    }

    func suspend() {
        isSuspended = true
        MHD_suspend_connection(handle)
        connection.enter(.handling)
        mayStay()
    }

    /// Notes that the request holds memory; at the end of the turn it is counted, if the request is still unfinished.
    func mayStay() {
        guard !isUnweighed else { return }
        isUnweighed = true
        loop.unweighed.append(self)
    }

    /// Counts the memory of the request. A request whose body is incomplete is refused when the budget is used up; a complete
    /// request that waits for its handler is never refused.
    func weigh() {
        isUnweighed = false
        guard !isOver else { return }
        // The fields of the head are in memory twice: in libmicrohttpd's buffer and as strings.
        let more = headCount * 2 + bodyKept - weight
        switch step {
        case .handling: loop.settings.budget.take(more)
        case .body, .admission:
            guard !loop.settings.budget.takeIfFree(more) else { break }
            var answer = loop.settings.router.errorResponse(.serviceUnavailable, Self.noRoom, refused)
            answer.headers["Retry-After"] = "5"
            let wasAsked = step == .admission
            if wasAsked {
                task?.cancel()
                step = .body
            }
            refuseBody(answer)
            resume()
            return
        case .head, .answered, .refused, .abandoned: return
        }
        weight += more
    }

    private static let noRoom = "The server has too many unfinished requests; send it again, all at once."

    /// Returns the memory of the request to the budget.
    private func giveBackWeight() {
        loop.settings.budget.release(weight)
        weight = 0
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(handle)
        connection.daemon.needsRun = true
    }

    /// Writes a refusal straight to the socket where libmicrohttpd takes no answer: in the middle of a body, or while
    /// a head is incomplete. Nothing else is on its way out then.
    func answerDirectly(_ refusal: Refusal) {
        refuseBody(loop.settings.router.errorResponse(refusal.status, refusal.message, refused))
    }

    /// The same as ``answerDirectly(_:)``, with a finished answer.
    func refuseBody(_ response: ServerResponse) {
        guard step == .head || step == .body else { return }
        let bytes = ResponseWriter.bytes(of: response, self)
        if let session = connection.security.session {
            session.send(bytes)
            session.sayGoodbye()
        } else {
            _ = bytes.withUnsafeBytes {
                send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
        _ = shutdown(connection.descriptor, Int32(SHUT_WR))
        step = .refused
        status = response.status
        answerBytes = response.body.bytes?.count ?? 0
        body = []
        bodyKept = 0
        head = nil
        giveBackWeight()
        connection.enter(.lingering)
    }

    var record: AccessRecord {
        AccessRecord(
            id: id, method: method, path: shownPath, route: route,
            status: status ?? AccessRecord.clientClosed, bytes: answerBytes,
            duration: .nanoseconds(Int64(clamping: EventLoop.readClock() - start)), peer: connection.peer)
    }
}
