import CMicroHTTPD
import HTTPMessages

extension Exchange {
    /// Parses the head and decides whether the body may be sent.
    ///
    /// A response that is queued here makes libmicrohttpd close the connection, which is right only for a refusal.
    func receiveHead(_ handle: OpaquePointer, methodStart: UnsafePointer<CChar>) -> MHD_Result {
        do throws(Refusal) {
            try admitPlain()
            let head = try readHead(handle, methodStart)
            // Stored before the next checks: the error response and the access record use the head and the method.
            self.head = head
            method = head.method
            trace = TraceContext(head.headers)
            headCount = latch_mhd_header_size(handle)
            let target = try RequestTarget(target, method: head.method)
            path = target.path
            query = target.query
            if let authority = target.authority,
                head.headers["Host"].map({ HTTPHeaders.namesAreEqual($0, authority) }) != true
            {
                throw .bad("The host of the request target and the Host header field differ.")
            }
            try admitBody(head)
        } catch {
            return refuse(handle, error)
        }
        // An admission check may be running, or the body may already be refused.
        if step == .head { step = .body }
        if step == .body, head?.contentLength != 0 { scheduleMemoryCount() }
        return latch_mhd_yes
    }

    /// Throws for a plain HTTP request from a client that must use TLS.
    private func admitPlain() throws(Refusal) {
        guard connection.security.isRefused else { return }
        loop.settings.plainRefusals.record(connection.peer, now: loop.now, loop.settings.onLog)
        throw Refusal(
            status: .forbidden,
            message: "Plain HTTP is allowed only from this machine and from trusted proxies; use HTTPS or the proxy.")
    }

    private func readHead(_ handle: OpaquePointer, _ methodStart: UnsafePointer<CChar>) throws(Refusal) -> RequestHead {
        let count = latch_mhd_header_size(handle)
        guard count <= loop.settings.maximumHeaderBytes else {
            throw Refusal(status: .requestHeaderFieldsTooLarge, message: "The request's header is too large.")
        }
        return try RequestHead(
            start: UnsafeRawPointer(methodStart).assumingMemoryBound(to: UInt8.self), count: count,
            targetOffset: targetStart - methodStart, targetCount: target.utf8.count,
            fieldCount: Int(latch_mhd_field_count(handle)))
    }

    private func admitBody(_ head: RequestHead) throws(Refusal) {
        guard let length = head.contentLength else {
            // Before the admission check, which may change the phase by suspending or refusing.
            connection.enter(.body)
            limitBody(head)
            askAdmission(head)
            return
        }
        guard length > 0 else { return }
        connection.enter(.body)
        limitBody(head)
        if length > maximumBodyBytes {
            // A client that waits for 100 gets the refusal in time. A client that is already sending must be allowed to
            // finish first.
            guard !head.expectsContinue else { throw Self.bodyTooLarge }
            step = .body
            respondDirectly(Self.bodyTooLarge)
        } else {
            askAdmission(head)
        }
    }

    /// Calls the admission check of the route, if it has one, before the body is read.
    private func askAdmission(_ head: RequestHead) {
        guard let admission, let path else { return }
        self.admission = nil
        step = .admission
        let request = ServerRequest(
            id: id, method: head.method, path: path, rawQuery: query, headers: head.headers, body: [],
            peer: connection.peer, isTLS: connection.security.session != nil)
        loop.runningTasks += 1
        let task = TraceContext.$current.withValue(trace) {
            Task.immediate(executorPreference: loop) { [self] in finishAdmission(await admission(request)) }
        }
        // When the check has returned without suspending, there is nothing to wait for.
        guard step == .admission else { return }
        self.task = task
        isHeadRepeated = true
        suspend()
    }

    /// Sets the limit of the body. A body without a handler is received and ignored. Any other body is kept, up to the
    /// limit of its route.
    private func limitBody(_ head: RequestHead) {
        maximumBodyBytes = loop.settings.maximumBodyBytes
        let router = loop.settings.router
        guard case .handler(let handler, _, _)? = path.map({ router.match(head.method, path: $0) }) else {
            keepsBody = false
            return
        }
        maximumBodyBytes = min(maximumBodyBytes, router.limit(of: handler))
        admission = handler.admission
    }

    /// Receives a part of the body.
    func receiveBody(_ bytes: UnsafePointer<CChar>, _ count: Int) {
        // After bytes of the body, the next call without bytes is the end of the body.
        isHeadRepeated = false
        // The rest of a refused body is received and ignored, so that the client can read the refusal.
        guard step == .body else { return }
        guard bodyCount + count <= maximumBodyBytes else {
            respondDirectly(Self.bodyTooLarge)
            return
        }
        bodyCount += count
        guard keepsBody else { return }
        // Not the whole length, because a client may announce much and send little.
        if body.isEmpty, let length = head?.contentLength { body.reserveCapacity(min(length, 65_536)) }
        body.append(
            contentsOf: UnsafeBufferPointer(
                start: UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: count))
        bodyKept = body.capacity
        scheduleMemoryCount()
    }

    private static let bodyTooLarge = Refusal(status: .contentTooLarge, message: "The request's body is too large.")

    /// Continues a complete request, or one that was resumed.
    func proceed(_ handle: OpaquePointer) -> MHD_Result {
        guard !isHeadRepeated else {
            isHeadRepeated = false
            return latch_mhd_yes
        }
        switch step {
        case .body:
            step = .handling
            dispatch()
            if response == nil {
                suspend()
                return latch_mhd_yes
            }
            return ResponseWriter.queue(self, handle)
        case .handling where response != nil:
            return ResponseWriter.queue(self, handle)
        case .handling:
            // libmicrohttpd calls again only after a resume, so this case is not reached while a handler is running.
            return latch_mhd_yes
        case .head, .admission, .answered, .refused, .abandoned:
            return latch_mhd_no
        }
    }

    private func refuse(_ handle: OpaquePointer, _ refusal: Refusal) -> MHD_Result {
        response = loop.settings.router.errorResponse(refusal.status, refusal.message, refused)
        response?.headers["Connection"] = "close"
        return ResponseWriter.queue(self, handle)
    }

    /// Finds the handler and runs it on this thread until it returns a response or first suspends.
    private func dispatch() {
        guard let head, let path else { return }
        let router = loop.settings.router
        let bodyBytes = body
        body = []
        switch router.match(head.method, path: path) {
        case .handler(let handler, let values, let pattern):
            route = pattern
            let request = ServerRequest(
                id: id, method: head.method, path: path, rawQuery: query, headers: head.headers, body: bodyBytes,
                peer: connection.peer, isTLS: connection.security.session != nil)
            response = respond(request, values, handler)
            if response == nil { run(handler, with: request, values: values) }
        case .allow(let methods, let pattern):
            route = pattern
            response = ServerResponse(status: .noContent, headers: ["Allow": methods])
        case .methodNotAllowed(let methods, let pattern):
            route = pattern
            var refusal = error(.methodNotAllowed, "The method \(head.method) is not allowed here.")
            refusal.headers["Allow"] = methods
            response = refusal
        case .notFound:
            response = error(.notFound, "Not found.")
        }
    }

    /// Calls the synchronous handler, if there is one. Most requests are not traced, and need no context.
    private func respond(_ request: ServerRequest, _ values: [String], _ handler: Router.Handler) -> ServerResponse? {
        guard let synchronous = handler.synchronousHandler else { return nil }
        guard let trace else { return synchronous(request, values) }
        return TraceContext.$current.withValue(trace) { synchronous(request, values) }
    }

    private func run(_ handler: Router.Handler, with request: ServerRequest, values: [String]) {
        loop.runningTasks += 1
        // The task gets a copy of the context when it is created.
        let task = TraceContext.$current.withValue(trace) {
            Task.immediate(executorPreference: loop) { [self] in
                let response = await handler.run(request, values)
                finish(response ?? self.error(.notFound, "Not found."))
            }
        }
        if response == nil { self.task = task }
    }

    private func error(_ status: HTTPStatus, _ message: String) -> ServerResponse {
        loop.settings.router.errorResponse(status, message, refused)
    }
}
