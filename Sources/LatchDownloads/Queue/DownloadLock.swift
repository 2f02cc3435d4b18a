import LatchKit

extension AccountStore {
    /// Acquires the lock of the program that downloads. Only one program downloads at a time.
    ///
    /// Other programs hold the lock briefly, to check whether a program is downloading or to remove part files. The
    /// method therefore tries for about one second.
    ///
    /// - Throws: ``LatchError/Code/storageLocked`` when another program is already downloading; `CancellationError`.
    func lockDownloads() async throws -> FileLock {
        for _ in 0..<50 {
            if let lock = try lockDownloadsIfFree() { return lock }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LatchError(
            .storageLocked, "Another program is already running the downloads. Watch that one, or end it first.")
    }

    /// Returns the lock of ``lockDownloads()``, or nil when it is held.
    func lockDownloadsIfFree() throws -> FileLock? { try lockIfFree(named: "downloads") }
}
