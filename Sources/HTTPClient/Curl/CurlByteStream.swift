/// A connection of the transfer loop.
///
/// Source: curl_easy_recv(3), curl_easy_send(3).
final class CurlByteStream: ByteStream {
    private let loop: TransferLoop
    private let transfer: Transfer

    init(_ loop: TransferLoop, _ transfer: Transfer) {
        self.loop = loop
        self.transfer = transfer
    }

    deinit { close() }

    func receive() async throws -> [UInt8] {
        try await perform { .receive(self.transfer, $0) }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await perform { .send(self.transfer, bytes, $0) }
    }

    func close() { loop.give(.close(transfer)) }

    private func perform<Value>(
        _ command: (CheckedContinuation<Value, any Error>) -> TransferLoop.Command
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Before the command, because a task that is cancelled already closes the connection too.
                if Task.isCancelled { close() }
                if !loop.give(command(continuation)) { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            close()
        }
    }
}
