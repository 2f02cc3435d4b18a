import Synchronization

/// The buffer between the producer of a body and the connection of its client.
///
/// The producer may run on any thread. The connection's loop takes the bytes.
final class BodyStream: Sendable {
    /// The number of buffered bytes above which the producer waits.
    static let highWater = 131_072

    private enum End {
        /// The state until the producer has returned.
        case none
        /// The state after the producer has written everything.
        case complete
        /// The state after the producer has thrown, or has written a different length than announced.
        case failed
        /// The state after the client has disconnected.
        case gone
    }

    private struct State {
        var chunks: [[UInt8]] = []
        /// The number of bytes of the first chunk that were taken.
        var offset = 0
        var waiting = 0
        var written = 0
        var end = End.none
        /// Whether the connection is suspended until there are bytes or the body ends.
        var isWaitingForData = false
        var producers: [CheckedContinuation<Void, Never>] = []
    }

    /// The result of taking bytes.
    enum CopyResult {
        /// The number of bytes that were copied.
        case bytes(Int)
        /// There are no bytes yet. ``onReady`` will be called.
        case nothing
        /// The body is complete.
        case end
        /// The body is incomplete, which the client must be able to detect.
        case failure
    }

    private let length: Int?
    private let onReady: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a stream. After ``copyBytes(into:)`` has returned `nothing`, `onReady` is called from any thread when there
    /// are bytes or the body ends.
    init(length: Int?, onReady: @escaping @Sendable () -> Void) {
        self.length = length
        self.onReady = onReady
    }

    /// Whether the length is unknown, so that only the end of the body determines it.
    var isOpenEnded: Bool { length == nil }

    // MARK: - Producer

    func write(_ bytes: [UInt8]) async throws {
        try Task.checkCancellation()
        guard !bytes.isEmpty else { return }
        let (isWaitingForData, end) = state.withLock { state -> (Bool, End) in
            guard state.end == .none else { return (false, state.end) }
            state.written += bytes.count
            if let length, state.written > length {
                state.end = .failed
            } else {
                state.chunks.append(bytes)
                state.waiting += bytes.count
            }
            defer { state.isWaitingForData = false }
            return (state.isWaitingForData, state.end)
        }
        if isWaitingForData { onReady() }
        switch end {
        case .none: try await room()
        case .gone: throw CancellationError()
        case .complete, .failed:
            throw HTTPServerError(
                .body,
                "Could not write to a response body: it is complete; write exactly as many bytes as its length.")
        }
    }

    /// Waits until few enough bytes are buffered.
    private func room() async throws {
        // A loop, because all waiting producers are woken together and the first may fill the buffer again.
        while !hasRoom {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                await withCheckedContinuation { continuation in
                    let isFree = state.withLock { state in
                        // A cancellation before this line wakes no producer but is detected here.
                        let isFree = state.waiting <= Self.highWater || state.end != .none || Task.isCancelled
                        if !isFree { state.producers.append(continuation) }
                        return isFree
                    }
                    if isFree { continuation.resume() }
                }
                try Task.checkCancellation()
            } onCancel: {
                wakeProducers()
            }
        }
        if state.withLock({ $0.end == .gone }) { throw CancellationError() }
    }

    private var hasRoom: Bool {
        state.withLock { $0.waiting <= Self.highWater || $0.end != .none }
    }

    private func wakeProducers() {
        let producers = state.withLock { state in
            defer { state.producers = [] }
            return state.producers
        }
        for producer in producers { producer.resume() }
    }

    /// Ends the stream after the producer has returned or thrown.
    ///
    /// - Returns: Whether the body is complete, or no longer needed.
    @discardableResult
    func finish(failed: Bool) -> Bool {
        let (isWaitingForData, isWhole) = state.withLock { state -> (Bool, Bool) in
            if state.end == .gone { return (false, true) }
            let isWhole = !failed && state.end == .none && (length == nil || state.written == length)
            state.end = isWhole ? .complete : .failed
            defer { state.isWaitingForData = false }
            return (state.isWaitingForData, isWhole)
        }
        if isWaitingForData { onReady() }
        return isWhole
    }

    // MARK: - Loop

    /// Copies as many bytes as are available and fit.
    ///
    /// Bytes that were written before a failure are not sent, because the connection is closed immediately.
    func copyBytes(into buffer: UnsafeMutableRawBufferPointer) -> CopyResult {
        let (taken, mayWake) = state.withLock { state -> (CopyResult, Bool) in
            if state.end == .failed || state.end == .gone { return (.failure, false) }
            guard state.waiting > 0 else {
                if state.end == .complete { return (.end, false) }
                state.isWaitingForData = true
                return (.nothing, false)
            }
            let count = Self.copy(&state, into: buffer)
            // At half of the limit, so that a producer is not woken for every few bytes.
            return (.bytes(count), state.waiting <= Self.highWater / 2 && !state.producers.isEmpty)
        }
        if mayWake { wakeProducers() }
        return taken
    }

    private static func copy(_ state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var used = 0
        while filled < buffer.count, used < state.chunks.count {
            let chunk = state.chunks[used]
            let count = min(chunk.count - state.offset, buffer.count - filled)
            chunk.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<(state.offset + count)]))
            }
            filled += count
            state.offset += count
            if state.offset == chunk.count {
                state.offset = 0
                used += 1
            }
        }
        state.chunks.removeFirst(used)
        state.waiting -= filled
        return filled
    }

    /// Ends the stream because the client has disconnected, and discards its bytes.
    func abandon() {
        state.withLock { state in
            if state.end == .none || state.end == .complete { state.end = .gone }
            state.chunks = []
            state.offset = 0
            state.waiting = 0
            state.isWaitingForData = false
        }
        wakeProducers()
    }
}
