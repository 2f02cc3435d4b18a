import Synchronization

/// The bytes between a producer and its client's connection.
///
/// The producer may run anywhere; what takes the bytes is the connection's loop.
final class BodyStream: Sendable {
    /// How many bytes may wait before the producer does.
    static let highWater = 131_072

    private enum End {
        /// The state until the producer has returned.
        case none
        /// The state once it has written everything.
        case complete
        /// The state once it has thrown or broken its word about the length.
        case failed
        /// The state once nobody takes the bytes any more.
        case gone
    }

    private struct State {
        var chunks: [[UInt8]] = []
        /// How far into the first chunk the bytes are taken.
        var offset = 0
        var waiting = 0
        var written = 0
        var end = End.none
        /// The connection sleeps until there are bytes or an end.
        var isStarving = false
        var producers: [CheckedContinuation<Void, Never>] = []
    }

    /// What the loop finds when it looks for bytes.
    enum Taken {
        /// So many bytes were copied.
        case bytes(Int)
        /// There are none yet; ``onReady`` will be called.
        case nothing
        /// There will be no more, and all went well.
        case end
        /// There will be no more, and the client must see that it has not got everything.
        case failure
    }

    private let length: Int?
    private let onReady: @Sendable () -> Void
    private let state = Mutex(State())

    /// Makes a stream that calls `onReady`, from anywhere, when ``take(into:)`` has found nothing and now would.
    init(length: Int?, onReady: @escaping @Sendable () -> Void) {
        self.length = length
        self.onReady = onReady
    }

    /// Whether nobody knows the length, so that the end alone tells it.
    var isOpenEnded: Bool { length == nil }

    // MARK: - The producer's end

    func write(_ bytes: [UInt8]) async throws {
        try Task.checkCancellation()
        guard !bytes.isEmpty else { return }
        let (isStarving, end) = state.withLock { state -> (Bool, End) in
            guard state.end == .none else { return (false, state.end) }
            state.written += bytes.count
            if let length, state.written > length {
                state.end = .failed
            } else {
                state.chunks.append(bytes)
                state.waiting += bytes.count
            }
            defer { state.isStarving = false }
            return (state.isStarving, state.end)
        }
        if isStarving { onReady() }
        switch end {
        case .none: try await room()
        case .gone: throw CancellationError()
        case .complete, .failed:
            throw HTTPServerError(
                .body, "Could not write to an answer's body: it is complete; write as many bytes as its length says.")
        }
    }

    /// Waits until few enough bytes wait.
    private func room() async throws {
        while !hasRoom {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                await withCheckedContinuation { continuation in
                    let isFree = state.withLock { state in
                        // A cancellation that came before this line finds nobody to wake, but is seen here.
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

    /// The producer has returned, or thrown.
    ///
    /// - Returns: Whether the body is whole, or nobody wants it any more.
    @discardableResult
    func finish(failed: Bool) -> Bool {
        let (isStarving, isWhole) = state.withLock { state -> (Bool, Bool) in
            if state.end == .gone { return (false, true) }
            let isWhole = !failed && state.end == .none && (length == nil || state.written == length)
            state.end = isWhole ? .complete : .failed
            defer { state.isStarving = false }
            return (state.isStarving, isWhole)
        }
        if isStarving { onReady() }
        return isWhole
    }

    // MARK: - The loop's end

    /// Copies what there is, as much as fits.
    ///
    /// What was written before a failure is not sent: the connection is cut at once.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Taken {
        let (taken, mayWake) = state.withLock { state -> (Taken, Bool) in
            if state.end == .failed || state.end == .gone { return (.failure, false) }
            guard state.waiting > 0 else {
                if state.end == .complete { return (.end, false) }
                state.isStarving = true
                return (.nothing, false)
            }
            let count = Self.copy(&state, into: buffer)
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

    /// Nobody takes the bytes any more.
    func abandon() {
        state.withLock { state in
            if state.end == .none || state.end == .complete { state.end = .gone }
            state.chunks = []
            state.offset = 0
            state.waiting = 0
            state.isStarving = false
        }
        wakeProducers()
    }
}
