import CLibrary
import CMicroHTTPD

/// The body of a response that is being sent, unless it is in memory.
final class OutgoingBody: @unchecked Sendable {  // Used only on the loop's thread; the stream is thread-safe.
    private enum Source {
        /// A file that the system sends. libmicrohttpd has its own descriptor.
        case sending(FileRegion, SentBefore)
        /// A file that this process reads: for TLS, and for Unix sockets, whose clients' progress is not known.
        case reading(FileRegion)
        case stream(BodyStream)
    }

    /// The number of bytes that were written to a connection before the response.
    private struct SentBefore {
        let bytes: UInt64
        let head: Int
    }

    private let exchange: Exchange
    private let source: Source
    /// The number of bytes that were passed to libmicrohttpd.
    private(set) var handedOver = 0
    private var task: Task<Void, Never>?
    private var isSuspended = false
    private var isOver = false
    /// The number of bytes that are read from a file at once, and the maximum that a streamed body of known length
    /// passes on at once.
    private static let block = 65_536

    private init(_ exchange: Exchange, _ source: Source) {
        self.exchange = exchange
        self.source = source
    }

    // MARK: - Start

    /// Returns libmicrohttpd's response for a part of a file, or nil on failure.
    static func response(_ region: FileRegion, _ exchange: Exchange, head: Int) -> OpaquePointer? {
        guard let written = exchange.connection.writtenBytes, exchange.connection.security.session == nil else {
            let body = OutgoingBody(exchange, .reading(region))
            exchange.outgoingBody = body
            return body.response(length: UInt64(region.count))
        }
        // libmicrohttpd closes the descriptor that it is given. The original stays with its owner.
        let descriptor = fcntl(region.file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        guard
            let made = MHD_create_response_from_fd_at_offset64(
                UInt64(region.count), descriptor, UInt64(region.offset))
        else {
            close(descriptor)
            return nil
        }
        exchange.outgoingBody = OutgoingBody(exchange, .sending(region, SentBefore(bytes: written, head: head)))
        return made
    }

    /// Returns libmicrohttpd's response for a streamed body, whose producer is started by ``start(_:)``.
    static func response(_ stream: StreamedBody, _ exchange: Exchange) -> OpaquePointer? {
        let loop = exchange.loop
        // This retain cycle is broken when the request ends, because `outgoingBody` is then set to nil.
        let source = BodyStream(length: stream.length) { [exchange] in
            loop.perform { _ in exchange.outgoingBody?.resume() }
        }
        let body = OutgoingBody(exchange, .stream(source))
        exchange.outgoingBody = body
        return body.response(length: stream.length.map { UInt64($0) } ?? latch_mhd_size_unknown)
    }

    private func response(length: UInt64) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let made = MHD_create_response_from_callback(
            length, min(Self.block, max(1, Int(clamping: length))), bodyCallback, context.toOpaque(), bodyFreeCallback)
        // Without a response, libmicrohttpd never calls the free callback.
        if made == nil { context.release() }
        return made
    }

    /// Starts the producer of a streamed body, and runs it on this thread until it first suspends.
    func start(_ streamed: StreamedBody) {
        guard case .stream(let stream) = source else { return }
        let loop = exchange.loop
        let id = exchange.id
        let route = exchange.route
        loop.runningTasks += 1
        let task = Task.immediate(executorPreference: loop) {
            var failure: String?
            var isStopped = false
            do {
                try await streamed.produce(BodyWriter(stream))
            } catch let error as StoppedBody {
                (failure, isStopped) = ("\(error.reason)", true)
            } catch {
                failure = "\(error)"
            }
            if !stream.finish(failed: failure != nil) {
                loop.settings.onLog(
                    ServerEvent(
                        level: isStopped ? .warning : .error,
                        message: isStopped
                            ? "A response was cut off: its client may not receive the rest."
                            : "A response was cut off: its body could not be produced.",
                        metadata: [
                            "request": id, "route": route ?? "-",
                            "reason": failure ?? "its length differs from the declared length",
                        ]))
            }
            loop.runningTasks -= 1
        }
        if !isOver { self.task = task }
    }

    // MARK: - Sending

    /// Copies the next bytes. Returns the result for libmicrohttpd's body callback.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count =
            switch source {
            case .sending: latch_mhd_end_with_error
            case .reading(let region): read(region, into: buffer)
            case .stream(let stream): copyBytes(stream, into: buffer)
            }
        if count > 0 { handedOver += count }
        return count
    }

    private func read(_ region: FileRegion, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, region.count - handedOver)])
        let count = region.file.read(into: wanted, at: region.offset + handedOver)
        return count > 0 ? count : latch_mhd_end_with_error
    }

    private func copyBytes(_ stream: BodyStream, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch stream.copyBytes(into: buffer) {
        case .bytes(let count): return count
        case .end: return latch_mhd_end_of_stream
        case .failure:
            if stream.isOpenEnded { exchange.abortBody() }
            return latch_mhd_end_with_error
        case .nothing:
            // A disconnection while bytes were being sent has not cancelled the producer, so the body ends here.
            guard exchange.connection.mayWaitForBody else { return latch_mhd_end_with_error }
            isSuspended = true
            exchange.suspendForBody()
            return 0
        }
    }

    /// Resumes the connection when there are more bytes or the body has ended.
    func resume() {
        guard isSuspended, !isOver else { return }
        isSuspended = false
        exchange.resumeForBody()
    }

    /// Whether the file has become too short for the remaining bytes.
    ///
    /// In that case, sendfile(2) returns 0, which libmicrohttpd 0.9.75 interprets as a full connection.
    var isCutShort: Bool {
        switch source {
        case .sending(let region, _), .reading(let region): !region.file.reaches(region.end)
        case .stream: false
        }
    }

    // MARK: - End

    /// Cancels the producer because the client has disconnected or the server stops, and returns the connection to
    /// libmicrohttpd to be closed.
    func abandon() {
        guard !isOver, case .stream(let stream) = source else { return }
        // Before the cancellation, so that the producer's error is not logged as a failure of the body.
        stream.abandon()
        task?.cancel()
        resume()
    }

    /// Ends the body when the request has ended.
    ///
    /// - Parameter isComplete: Whether all bytes were sent. The producer may then still complete its work after the
    ///   last byte.
    /// - Returns: The number of bytes of the body that were sent. For a file that was not sent completely, the number
    ///   that the client's system confirmed.
    func end(isComplete: Bool) -> Int {
        if !isComplete { abandon() }
        isOver = true
        task = nil
        guard case .sending(let region, let before) = source else { return handedOver }
        if isComplete { return region.count }
        // Wraps to a negative number when the system no longer knows the confirmed bytes. That counts as 0.
        let confirmed = Int(truncatingIfNeeded: (exchange.connection.confirmedBytes ?? 0) &- before.bytes)
        return min(max(0, confirmed - before.head), region.count)
    }
}

private let bodyCallback: MHD_ContentReaderCallback = { context, _, buffer, size in
    guard let context, let buffer else { return latch_mhd_end_with_error }
    return Unmanaged<OutgoingBody>.fromOpaque(context).takeUnretainedValue()
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

private let bodyFreeCallback: MHD_ContentReaderFreeCallback = { context in
    if let context { Unmanaged<OutgoingBody>.fromOpaque(context).release() }
}
