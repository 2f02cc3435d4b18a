import CLibrary
import CProcess
package import FoundationEssentials
import Primitives

/// Flushing complete parts to the disk and moving them to their destinations.
extension DownloadPart {
    /// Flushes the bytes to the disk, outside the shared thread pool.
    ///
    /// - Parameter modified: The modification time to set. Nil leaves it unchanged.
    /// - Throws: The errors of ``init(path:mustExist:)``.
    package func flush(modified: Date? = nil) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard fsync(file) == 0 else { throw Self.failure(path, .last) }
            isFlushed = true
        }
    }

    /// Flushes the bytes to the disk and moves the part to its destination, where no file may exist yet.
    ///
    /// - Parameters:
    ///   - destination: The path of the file, in the same file system.
    ///   - modified: The modification time to set. Nil leaves it unchanged.
    ///   - replacesExisting: Whether an existing file is replaced.
    /// - Throws: ``TransportError``; with code ``TransportError/Code/fileExists`` when a file exists. The part is kept.
    package func publish(as destination: String, modified: Date? = nil, replacesExisting: Bool = false) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard isFlushed && modified == nil || fsync(file) == 0 else { throw Self.failure(destination, .last) }
            // Still locked, so that a download that has opened the part gets the lock only when the name is gone.
            try Self.move(path, to: destination, replacesExisting: replacesExisting)
            close()
            Self.syncFolder(beside: destination)
        }
    }

    /// Flushes the bytes of many parts to the disk, outside the shared thread pool.
    ///
    /// Starts writing all files before it waits for any. On ext4, one thread flushes 1,000 files of 100 kB in 0.5 s
    /// this way, as fast as eight threads that wait for one file each. A thread that waits for each file in turn takes
    /// 1.2 s.
    ///
    /// - Parameters:
    ///   - parts: The parts, each with the modification time to set. Nil leaves it unchanged.
    ///   - prepare: Called for each part first, with its index.
    /// - Returns: The error for each part, or nil.
    ///
    /// Source: sync_file_range(2), which begins to write and guarantees nothing; fsync(2).
    package static func flush(
        _ parts: [(part: DownloadPart, modified: Date?)], prepare: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> [TransportError?] {
        await FlushThread.run {
            for (index, entry) in parts.enumerated() {
                guard let file = entry.part.file else { continue }
                // Before fsync(2), which also flushes the attributes, the mode and the times of the file.
                prepare(index)
                if let modified = entry.modified { setTime(modified, of: file) }
                // For a single file, fsync starts the write just as early.
                if parts.count > 1 { latch_begin_flush(file) }
            }
            return parts.map { entry -> TransportError? in
                guard let file = entry.part.file else { return nil }
                do throws(TransportError) { try entry.part.store() } catch { return error }
                guard fsync(file) == 0 else { return failure(entry.part.path, .last) }
                entry.part.isFlushed = true
                return nil
            }
        }
    }

    /// Moves many flushed parts to their destinations, where no files may exist yet, and then flushes the folders.
    ///
    /// - Parameter moves: The parts, and the paths of the files in the same file system.
    /// - Returns: The error for each part, or nil. The code ``TransportError/Code/fileExists`` means that a file
    ///   exists; the part is then kept.
    package static func publish(_ moves: [(part: DownloadPart, path: String)]) async -> [TransportError?] {
        await FlushThread.run {
            var folders: [String: String] = [:]
            let failures = moves.map { entry -> TransportError? in
                do throws(TransportError) {
                    try move(entry.part.path, to: entry.path, replacesExisting: false)
                } catch {
                    return error
                }
                entry.part.close()
                folders[String(entry.path.split(atLastByte: "/")?.head ?? "")] = entry.path
                return nil
            }
            for path in folders.values { syncFolder(beside: path) }
            return failures
        }
    }

    // MARK: - Names and times

    private static func setTime(_ date: Date, of file: Int32) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        var time = timespec()
        time.tv_sec = .init(seconds)
        time.tv_nsec = .init((date.timeIntervalSince1970 - seconds) * 1e9)
        // A file system without modification times still keeps the file.
        _ = futimens(file, [time, time])
    }

    private static func move(_ part: String, to destination: String, replacesExisting: Bool) throws(TransportError) {
        if replacesExisting {
            guard rename(part, destination) == 0 else { throw failure(destination, .last) }
            return
        }
        if let problem = FileNaming.move(part, to: destination).problem { throw failure(destination, problem) }
    }

    /// Makes the name of a file, and other new names in the same folder, survive a power failure. The file is complete
    /// and at its destination, so a folder that cannot be flushed is not a failure.
    ///
    /// Source: fsync(2), on the folder that contains a file's name.
    package static func syncFolder(beside path: String) {
        let descriptor = system_openFolder(folder(of: path))
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        system_close(descriptor)
    }

    static func folder(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}

private func system_openFolder(_ path: String) -> Int32 { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
