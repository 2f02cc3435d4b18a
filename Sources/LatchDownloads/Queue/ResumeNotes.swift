import HTTPClient
import Synchronization

/// Notes of a transfer what its part holds, one after the other; over before the task's end is noted.
final class ResumeNotes: Sendable {
    private let store: DownloadStore
    private let position: Int
    private let last = Mutex<Task<Void, Never>?>(nil)

    init(store: DownloadStore, position: Int) { (self.store, self.position) = (store, position) }

    /// Returns at once. Without the note, as after a crash just now, the part begins anew.
    func note(_ point: ResumePoint) {
        let (store, position) = (store, position)
        last.withLock { last in
            let before = last
            last = Task {
                await before?.value
                try? await store.note(position, resume: point, boot: DownloadQueue.boot)
            }
        }
    }

    /// Waits until all notes are on the disk.
    func written() async { await last.withLock { $0 }?.value }
}
