public import LatchKit

/// The thumbnails of an account's pictures: in memory, on this device, or from the server.
///
/// Each thumbnail is requested at most once at a time. A few requests run at the same time, those asked for last first,
/// because these are the ones on the screen. A request that nobody waits for any more ends. The memory has a bound, and
/// so have the size of a thumbnail and the bytes on the device. What is on the device is removed when another account
/// becomes active and when the session ends.
///
/// Source: RM-9; docs/protocols/immich.md, Files.
public actor ThumbnailStore {
    /// How many requests run at the same time, as in a download.
    static let parallelRequests = 6
    /// The default size of the thumbnails in memory, in bytes: 32 MiB.
    public static let defaultMemory = 32 << 20
    /// The maximum number of pictures that are known to have no thumbnail. After more, all are tried again.
    private static let maximumAbsent = 100_000

    private struct Request {
        var waiters: [Int: CheckedContinuation<Thumbnail?, any Error>] = [:]
        /// Nil while the request waits for its turn.
        var task: Task<Void, Never>?
        let serial: Int
    }

    private let session: Session
    private let api: String
    private var memory: ThumbnailMemory
    private var absent: Set<PictureID> = []
    private var requests: [PictureID: Request] = [:]
    /// The pictures whose requests wait for their turn. The last one is first.
    private var waiting: [PictureID] = []
    private var runningCount = 0
    private var lastSerial = 0

    /// Creates the store of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session of the account.
    ///   - memory: The maximum size of the thumbnails in memory, in bytes. Default: 32 MiB.
    public init(_ account: Account, _ session: Session, memory: Int = ThumbnailStore.defaultMemory) {
        self.session = session
        api = ImmichAssetReading.api(of: account)
        self.memory = ThumbnailMemory(limit: memory)
    }

    /// Returns the thumbnail of a picture. Nil when the server has none that can be shown.
    ///
    /// - Throws: A `LatchError` for network and session errors; `CancellationError`.
    public func thumbnail(_ id: PictureID) async throws -> Thumbnail? {
        if let thumbnail = memory.find(id) { return thumbnail }
        if absent.contains(id) { return nil }
        lastSerial += 1
        let waiter = lastSerial
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                wait(for: id, as: waiter, continuation)
            }
        } onCancel: {
            Task { await self.leave(id, waiter) }
        }
    }

    /// Removes all thumbnails from memory.
    public func removeAll() {
        memory.removeAll()
        absent = []
    }

    /// The bytes of all thumbnails in memory.
    var memoryBytes: Int { memory.bytes }

    /// The number of pictures whose thumbnails somebody waits for.
    var requestCount: Int { requests.count }

    private func wait(
        for id: PictureID, as waiter: Int, _ continuation: CheckedContinuation<Thumbnail?, any Error>
    ) {
        if requests[id] == nil {
            requests[id] = Request(serial: waiter)
            waiting.append(id)
        } else if requests[id]?.task == nil {
            // What is asked for again is on the screen again.
            waiting.removeAll { $0 == id }
            waiting.append(id)
        }
        requests[id]?.waiters[waiter] = continuation
        startNext()
    }

    private func leave(_ id: PictureID, _ waiter: Int) {
        guard let continuation = requests[id]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(throwing: CancellationError())
        guard let request = requests[id], request.waiters.isEmpty else { return }
        requests[id] = nil
        if let task = request.task { task.cancel() } else { waiting.removeAll { $0 == id } }
    }

    private func startNext() {
        while runningCount < Self.parallelRequests, let id = waiting.popLast(), let serial = requests[id]?.serial {
            runningCount += 1
            requests[id]?.task = Task { [session, api] in
                let result: Result<Thumbnail?, any Error>
                do {
                    result = .success(try await Self.request(id, session, api))
                } catch {
                    result = .failure(error)
                }
                self.finish(id, serial, result)
            }
        }
    }

    private func finish(_ id: PictureID, _ serial: Int, _ result: Result<Thumbnail?, any Error>) {
        runningCount -= 1
        defer { startNext() }
        // Another request for the same picture may have begun after everybody left this one.
        guard let request = requests[id], request.serial == serial else { return }
        requests[id] = nil
        switch result {
        case .success(let thumbnail?): memory.insert(thumbnail, for: id)
        case .success(nil):
            if absent.count >= Self.maximumAbsent { absent = [] }
            absent.insert(id)
        case .failure: break
        }
        for continuation in request.waiters.values { continuation.resume(with: result) }
    }

    private static func request(_ id: PictureID, _ session: Session, _ api: String) async throws -> Thumbnail? {
        let path = "\(api)/assets/\(id.text)/thumbnail"
        do {
            var response = try await session.client.thumbnail(path + "?size=thumbnail")
            // A server that has no thumbnail yet names another size. Any other place is not followed.
            if response.status.rawValue == 302, let place = response.headers["Location"], place.hasPrefix(path + "?") {
                response = try await session.client.thumbnail(place)
            }
            if response.status.rawValue >= 500 || response.status.rawValue == 429 {
                throw LatchError(.serverError, "\(session.server) could not send a thumbnail: \(response.status).")
            }
            return response.status.isSuccess ? Thumbnail(response.body) : nil
        } catch let error as LatchError where [.responseTooLarge, .unreadableResponse].contains(error.code) {
            return nil
        }
    }
}
