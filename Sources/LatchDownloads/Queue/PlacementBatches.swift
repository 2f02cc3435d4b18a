/// Collects complete files into batches. A batch holds the files that became complete while the one before it was
/// flushed to disk or moved. While one batch is moved, the next one is flushed.
struct PlacementBatches {
    /// The maximum number of files in a batch.
    static let size = 64
    /// The number of waiting bytes that starts a batch at once, because writing them takes long.
    private static let bytes = 8 << 20
    /// The number of waiting files at which no further transfer starts. Each keeps a file descriptor open.
    private static let maximumWaiting = 128

    private enum Stage {
        /// No batch is in progress, or the newest one is being moved and files wait already.
        case free
        /// The newest batch is being flushed.
        case flushing
        /// The newest batch is being moved, and no files were waiting when its flush ended.
        case moving
    }

    private var waiting: [ReadyFile] = []
    /// The number of bytes of the waiting files.
    private var waitingBytes = 0
    private var stage = Stage.free
    private var newest = 0
    /// Whether an interval has passed since a batch was started because of one.
    private var hasIntervalPassed = false

    /// Whether no further transfer may start, because too many files wait.
    var isFull: Bool { waiting.count >= Self.maximumWaiting }

    mutating func add(_ file: ReadyFile) {
        waiting.append(file)
        waitingBytes += file.bytes
    }

    /// Records that an interval has passed. Files wait for a batch no longer than one interval.
    mutating func intervalPassed() { hasIntervalPassed = true }

    /// Decides whether to start a batch now: it is full, nothing more will come, writing takes long, or an interval
    /// has passed.
    ///
    /// - Parameter isLast: Whether nothing is being fetched.
    /// - Returns: Whether the caller must start a batch with the files of ``nextBatch()``.
    mutating func start(isLast: Bool) -> Bool {
        guard stage == .free, !waiting.isEmpty else { return false }
        let isEnough = isLast || waiting.count >= Self.size || waitingBytes >= Self.bytes
        guard isEnough || hasIntervalPassed else { return false }
        if !isEnough { hasIntervalPassed = false }
        stage = .flushing
        newest += 1
        return true
    }

    /// Returns the files of a batch that was started, including those that became complete since, and its number.
    mutating func nextBatch() -> (number: Int, files: [ReadyFile]) {
        let files = Array(waiting.prefix(Self.size))
        waiting.removeFirst(files.count)
        waitingBytes = waiting.reduce(0) { $0 + $1.bytes }
        return (newest, files)
    }

    /// Records that the newest batch is on disk, and that the one before it was moved.
    mutating func flushed() { stage = waiting.isEmpty ? .moving : .free }

    /// Records that the files of a batch were moved. The number tells whether a newer batch is in progress.
    mutating func moved(_ number: Int) { if number == newest, stage == .moving { stage = .free } }
}
