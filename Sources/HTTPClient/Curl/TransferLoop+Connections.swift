import CCurl
import CLibrary

/// A connection that was handed to a caller. Used only by the thread of the loop.
final class OpenConnection {
    let transfer: Transfer
    let easy: EasyHandle
    fileprivate var receiving: CheckedContinuation<[UInt8], any Error>?
    fileprivate var sending: (rest: ArraySlice<UInt8>, continuation: CheckedContinuation<Void, any Error>)?

    fileprivate init(_ transfer: Transfer, _ easy: EasyHandle) {
        self.transfer = transfer
        self.easy = easy
    }

    /// The events to wait for. Nil when no call waits.
    var pollEntry: pollfd? {
        var events: Int32 = 0
        if receiving != nil { events |= Int32(POLLIN) }
        if sending != nil { events |= Int32(POLLOUT) }
        return events == 0 ? nil : pollfd(fd: easy.socket, events: Int16(events), revents: 0)
    }

    /// The maximum number of bytes that one call receives.
    private static let pieceBytes = 16 << 10

    /// Receives and sends what is possible without waiting.
    fileprivate func advance() {
        if let (rest, continuation) = sending { send(rest, continuation) }
        if let receiving { receive(receiving) }
    }

    private func send(_ rest: ArraySlice<UInt8>, _ continuation: CheckedContinuation<Void, any Error>) {
        var rest = rest
        while !rest.isEmpty {
            var count = 0
            let code = rest.withUnsafeBytes { curl_easy_send(easy.pointer, $0.baseAddress, $0.count, &count) }
            guard code == CURLE_OK else {
                guard code != CURLE_AGAIN else { return sending = (rest, continuation) }
                sending = nil
                return continuation.resume(throwing: CurlFailure(code, easy).error(for: transfer.plan))
            }
            rest = rest.dropFirst(count)
        }
        sending = nil
        continuation.resume()
    }

    private func receive(_ continuation: CheckedContinuation<[UInt8], any Error>) {
        var code = CURLE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            code = curl_easy_recv(easy.pointer, buffer.baseAddress, buffer.count, &count)
            if code != CURLE_OK { count = 0 }
        }
        guard code != CURLE_AGAIN else { return }
        receiving = nil
        guard code == CURLE_OK else {
            return continuation.resume(throwing: CurlFailure(code, easy).error(for: transfer.plan))
        }
        continuation.resume(returning: bytes)
    }

    fileprivate func cancel() {
        receiving.take()?.resume(throwing: CancellationError())
        sending.take()?.continuation.resume(throwing: CancellationError())
    }
}

extension TransferLoop.Command {
    /// Ends a command that was not performed.
    func cancel() {
        switch self {
        case .start(let transfer): transfer.end(.failure(CancellationError()))
        case .receive(_, let continuation): continuation.resume(throwing: CancellationError())
        case .send(_, _, let continuation): continuation.resume(throwing: CancellationError())
        case .cancel, .close: break
        }
    }
}

/// The connections of callers, on the thread of the loop.
extension TransferLoop {
    /// Ends a transfer and hands its connection to the caller. Curl keeps the connection while the handle is not
    /// removed.
    func keep(_ transfer: Transfer, _ easy: EasyHandle, _ result: TransferResult) {
        own.connections[easy.pointer] = OpenConnection(transfer, easy)
        var result = result
        result.connection = CurlByteStream(self, transfer)
        transfer.end(.success(result))
    }

    /// Performs a command on a connection. It fails when the connection is closed.
    func performOnConnection(_ command: Command, _ multi: MultiHandle) {
        switch command {
        case .receive(let transfer, let continuation):
            guard let connection = connection(of: transfer) else { return command.cancel() }
            precondition(connection.receiving == nil, "Only one call may receive at a time.")
            connection.receiving = continuation
        case .send(let transfer, let bytes, let continuation):
            guard let connection = connection(of: transfer) else { return command.cancel() }
            precondition(connection.sending == nil, "Only one call may send at a time.")
            connection.sending = (bytes[...], continuation)
        case .close(let transfer):
            guard let connection = connection(of: transfer) else { return }
            own.connections[connection.easy.pointer] = nil
            close(connection, multi)
        case .start, .cancel: break
        }
    }

    func advanceConnections() {
        for connection in own.connections.values { connection.advance() }
    }

    func close(_ connection: OpenConnection, _ multi: MultiHandle) {
        // Curl closes the connection of a handle that only connects when the handle is removed.
        multi.remove(connection.easy)
        connection.transfer.easy = nil
        connection.cancel()
    }

    private func connection(of transfer: Transfer) -> OpenConnection? {
        transfer.easy.flatMap { own.connections[$0.pointer] }
    }
}
