import LatchDownloads
import LatchKit

/// Any number of tasks, made as they are asked for.
struct TaskNumbers: AsyncSequence, Sendable {
    let account: Account.ID
    let count: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let account: Account.ID
        let count: Int
        var next = 0

        mutating func next() async throws -> DownloadTask? {
            guard next < count else { return nil }
            defer { next += 1 }
            return DownloadTask(
                id: "\(next)", account: account, url: "/files/\(next)", filename: "IMG_\(next).jpg",
                group: next % 3 == 0 ? .video : .image, metadata: .init(size: 1000))
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(account: account, count: count) }
}
