import CProcess
public import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A whole part goes to the disk, and then to its place.
extension DownloadPart {
    /// Brings the bytes to the disk, off the shared threads.
    ///
    /// - Parameter modified: The time that the file shall have; nil leaves the present.
    /// - Throws: ``TransportError`` as ``init(path:isThere:)``.
    public func flush(modified: Date? = nil) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard fsync(file) == 0 else { throw Self.failure(path, .last) }
            isFlushed = true
        }
    }

    /// Brings the bytes to the disk and the part to its place, where nothing may be yet.
    ///
    /// - Parameters:
    ///   - destination: The file's path, in the same file system.
    ///   - modified: The time that the file shall have; nil leaves the present.
    ///   - isReplacing: Whether a file that is there gives way.
    /// - Throws: ``TransportError``; with code ``TransportError/Code/fileExists`` when something is there. The part stays.
    public func publish(as destination: String, modified: Date? = nil, isReplacing: Bool = false) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard isFlushed && modified == nil || fsync(file) == 0 else { throw Self.failure(destination, .last) }
            try Self.move(path, destination, isReplacing)
            close()
            Self.keepNames(beside: destination)
        }
    }

    /// Brings the bytes of many parts to the disk, off the shared threads.
    ///
    /// The disk is told of all before any is waited for: of 1,000 files of 100 kB on ext4 one thread brings all to the disk in
    /// 0.5 s so, as do eight that wait for one each; one that waits for each in turn takes 1.2 s.
    ///
    /// - Parameters:
    ///   - parts: The parts, each with the time that its file shall have; nil leaves the present.
    ///   - prepare: Done with each first, by its place among the parts.
    /// - Returns: For each what went wrong, if anything did.
    ///
    /// Source: sync_file_range(2), which begins to write and promises nothing; fsync(2).
    public static func flush(
        _ parts: [(part: DownloadPart, modified: Date?)], prepare: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> [TransportError?] {
        await FlushThread.run {
            for (index, entry) in parts.enumerated() {
                guard let file = entry.part.file else { continue }
                prepare(index)
                if let modified = entry.modified { setTime(modified, of: file) }
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

    /// Brings many flushed parts to their places, where nothing may be yet; then their new names to the disk.
    ///
    /// - Parameter moves: The parts, and the files' paths in the same file system.
    /// - Returns: For each what went wrong, if anything did; with code ``TransportError/Code/fileExists`` something is there,
    ///   and the part stays.
    public static func publish(_ moves: [(part: DownloadPart, path: String)]) async -> [TransportError?] {
        await FlushThread.run {
            var folders: [String: String] = [:]
            let failures = moves.map { entry -> TransportError? in
                do throws(TransportError) {
                    try move(entry.part.path, entry.path, false)
                } catch {
                    return error
                }
                entry.part.close()
                folders[String(entry.path[..<(entry.path.lastIndex(of: "/") ?? entry.path.startIndex)])] = entry.path
                return nil
            }
            for path in folders.values { keepNames(beside: path) }
            return failures
        }
    }

    // MARK: - Names and times

    private static func setTime(_ date: Date, of file: Int32) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        var time = timespec()
        time.tv_sec = .init(seconds)
        time.tv_nsec = .init((date.timeIntervalSince1970 - seconds) * 1e9)
        // A file system that keeps no times keeps the file all the same.
        _ = futimens(file, [time, time])
    }

    private static func move(_ part: String, _ destination: String, _ isReplacing: Bool) throws(TransportError) {
        if isReplacing {
            guard rename(part, destination) == 0 else { throw failure(destination, .last) }
            return
        }
        if let problem = FileNaming.move(part, to: destination).problem { throw failure(destination, problem) }
    }

    /// Makes a name, and new ones beside it, survive a loss of power. The file is whole and in its place: where a folder cannot
    /// be flushed, that is no failure.
    ///
    /// Source: fsync(2), on the folder that has a file's name.
    public static func keepNames(beside path: String) {
        let descriptor = system_openFolder(folder(of: path))
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        system_close(descriptor)
    }

    static func folder(of path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}

private func system_openFolder(_ path: String) -> Int32 { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
