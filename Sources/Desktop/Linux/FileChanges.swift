import CLibrary
import Primitives
import Synchronization

/// Waits for changes of files in one folder, by this or another program, without waking up in between.
///
/// One task at a time may wait. The folder is watched from the creation of the object on, so that a change is not missed
/// between two waits.
///
/// Source: inotify(7).
package final class FileChanges: Sendable {
    private let descriptor: Int32
    private let watch: Int32
    private let names: Set<String>
    private let hasEnded = Atomic(false)

    /// Watches a folder. Returns nil when the system refuses it: the folder is missing, or the user has too many watches.
    ///
    /// - Parameters:
    ///   - names: The names of the files. Changes of other files are ignored.
    ///   - folder: The path of the folder.
    package init?(of names: Set<String>, in folder: String) {
        self.names = names
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        watch = inotify_add_watch(
            descriptor, folder, UInt32(IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM))
        // `deinit` closes the descriptor, as it runs for every value whose properties are all set. Closed here as well, the
        // number could already be another thread's.
        guard watch >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Waits for changes after the last call, and returns at once if there were some.
    ///
    /// - Returns: Whether a file has changed. False when the task is cancelled or the folder was removed: nothing is
    ///   reported any more then.
    package func next() async -> Bool {
        guard !hasEnded.load(ordering: .acquiring) else { return false }
        return await withTaskCancellationHandler {
            (try? await SystemThread.run { self.read() }) ?? false
        } onCancel: {
            // The removal is itself an event, which ends the wait.
            inotify_rm_watch(descriptor, watch)
        }
    }

    private func read() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            while true {
                let count = CLibrary.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return end() }
                var (position, isRelevant) = (0, false)
                while position < count {
                    // The fields of `inotify_event` by their offsets, because several C modules export the structure.
                    let mask = buffer.load(fromByteOffset: position + 4, as: UInt32.self)
                    let length = Int(buffer.load(fromByteOffset: position + 12, as: UInt32.self))
                    let name = UnsafeRawBufferPointer(rebasing: buffer[(position + 16)...].prefix(length))
                    if mask & UInt32(IN_IGNORED) != 0 { return end() }
                    isRelevant =
                        isRelevant || mask & UInt32(IN_Q_OVERFLOW) != 0
                        || names.contains(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
                    position += 16 + length
                }
                if isRelevant { return true }
            }
        }
    }

    private func end() -> Bool {
        hasEnded.store(true, ordering: .releasing)
        return false
    }
}
