import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit

extension DownloadQueue {
    /// Fetches one task, unless its file exists already.
    ///
    /// The database records the running state and the resume point only for transfers that take longer; see
    /// ``noteRunning()``.
    func fetch(_ running: RunningFetch) async {
        var row = running.row
        do {
            if row.task.metadata.liveID != nil {
                // The other part may have put both files at their destinations since this row was read.
                guard let fresh = try await store.task(row.position), !fresh.state.isOver, fresh.state != .paused else {
                    return leave(row)
                }
                row = fresh
            }
            broadcast.send(.status(id: row.task.id, .running))
            try await hook.after(.started)
            // For a live photo, only the code that moves both parts checks where they are.
            if row.isWhole, row.task.metadata.liveID != nil || standing(row) != .missing { return place(row, nil) }
            if row.isWhole {
                try await store.note(anew: row.position)
                (row.isWhole, row.path, row.resume) = (false, nil, nil)
            }
            if !row.task.metadata.isAgain, !isAbsent(row), let path = try await existing(row) {
                return await ended(row, .missing("The file is already here: \(path)"), nil)
            }
            let part = try await openPart(row)
            running.open(part)
            let outcome: FetchOutcome
            do {
                if let already = try await wholeAlready(row, part) {
                    outcome = already
                } else {
                    outcome = try await transfer(row, part, running)
                }
            } catch {
                outcome = FetchOutcome(error, account: row.task.account)
            }
            await ended(row, outcome, part)
        } catch {
            await ended(row, FetchOutcome(error, account: row.task.account), nil)
        }
    }

    private func openPart(_ row: QueuedTask) async throws -> DownloadPart {
        do {
            return try DownloadPart(path: partPath(row))
        } catch  where !Self.isThere(partsFolder) {
            try await checkFolder()
            // The folder of the parts was removed, but the library's folder still exists.
            try FolderLibrary.make(partsFolder)
            return try DownloadPart(path: partPath(row))
        }
    }

    /// Records which tasks run, and their resume points, for all transfers that began since the last call.
    ///
    /// Most files are small and complete before this is called, which saves a write. After a crash they are fetched
    /// from the beginning.
    func noteRunning() async throws {
        let records = running.values.compactMap { fetch in fetch.pendingRecord.map { (fetch, $0) } }
        guard !records.isEmpty else { return }
        try await store.note(running: records.map { (position: $0.row.position, point: $1.point) })
        for (fetch, record) in records { fetch.confirm(record) }
    }

    /// Whether the file is known to be absent since the task was read. The result is used only once, because a task of
    /// another account may fetch the same file later.
    private func isAbsent(_ row: QueuedTask) -> Bool {
        absent.remove(row.task.id) != nil && row.task.metadata.liveID == nil && contended[row.position] == nil
    }

    /// Returns the path of a task's file if it exists already. For a live photo both files must exist; otherwise both
    /// are fetched.
    private func existing(_ row: QueuedTask) async throws -> String? {
        guard let path = try await library.existing(row.task) else { return nil }
        guard let partner = try await store.partner(of: row) else { return path }
        return try await library.existing(partner.task) == nil ? nil : path
    }

    /// Returns the session of an account, created once per run.
    private func session(of account: UUID) async throws -> Session? {
        if let session = sessions[account] { return session }
        guard let found = try await latch.accounts.account(account) else { return nil }
        let session = try latch.session(for: found)
        sessions[account] = session
        return session
    }

    private func transfer(
        _ row: QueuedTask, _ part: DownloadPart, _ running: RunningFetch
    ) async throws -> FetchOutcome {
        let task = row.task
        guard let session = try await session(of: task.account) else { return .failed("Its account no longer exists.") }
        let point = point(row, part)
        if task.metadata.sha1 != nil {
            try await part.beginDigest(of: point?.canResume == true ? point?.count ?? 0 : 0)
        }
        // The resume point of an old part must not be used for the new one.
        if point == nil, row.resume != nil { try await store.note(row.position, resume: nil, boot: nil) }
        var outcome: FetchOutcome
        var address = task.url
        do {
            address = try await url(of: task)
            let answer = try await session.client.download(
                address, headers: headers(task), into: part, from: point, stallTimeout: settings.stallTimeout,
                followsRedirects: task.group == .file, onBegin: running.begun)
            outcome = try await outage(behind: answer, to: row, session) ?? judge(answer, row, session, part)
            // The query of a redirect target may hold a signature.
            if answer.redirection != nil { outcome = outcome.masked(of: answer.url) }
            if case .outage = outcome {} else { running.answered() }
            if executors[task.account] == nil { executors[task.account] = await session.client.executor }
        } catch {
            (sessions[task.account], executors[task.account]) = (nil, nil)
            outcome = FetchOutcome(
                error, account: task.account, hasAnswer: running.hasAnswer, isAddress: task.group == .file)
        }
        if task.metadata.sealedQuery != nil { outcome = outcome.masked(of: address) }
        try await hook.after(.fetched)
        return outcome
    }

    /// Returns the address of a task with its query.
    private func url(of task: DownloadTask) async throws -> String {
        guard task.metadata.sealedQuery != nil else { return task.url }
        return try SealedQuery.open(task, try await latch.accounts.downloadKey(of: task.account))
    }

    private func headers(_ task: DownloadTask) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in task.headers { headers[name] = value }
        return headers
    }

    private nonisolated func judge(
        _ answer: ClientResponse, _ row: QueuedTask, _ session: Session, _ part: DownloadPart
    ) -> FetchOutcome {
        let task = row.task
        guard [200, 206].contains(answer.status.rawValue) else {
            if answer.redirection?.isElsewhere ?? false { return FetchOutcome(elsewhere: answer, to: row, now: now()) }
            let own = session.dialect.errorMessage(in: answer)
            let words = String((own ?? "status \(answer.status)").prefix(200))
            return FetchOutcome(answer, words, isOwn: own != nil, to: row, now: now())
        }
        // A proxy or a captive portal may send its own page with status 200.
        let isPage = answer.headers["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
        guard !isPage || [".html", ".htm"].contains(SafeFileName(task.filename).ending.lowercased()) else {
            return .corrupted(
                "The server sent a web page instead of the file. Open the server in a browser to see what responds.")
        }
        return check(part, task, announced: part.total)
    }

    /// Checks a part that was complete before this program started. No request is sent, because some servers respond to
    /// a range after the end as if the file were gone. A file with neither a length nor a digest known in advance is
    /// requested again, because the part may hold the page of another server.
    ///
    /// Source: docs/protocols/immich.md, Files.
    private nonisolated func wholeAlready(_ row: QueuedTask, _ part: DownloadPart) async throws -> FetchOutcome? {
        let metadata = row.task.metadata
        guard let total = row.resume?.total, row.boot == Self.boot, total > 0, part.count == total,
            metadata.size == total || metadata.sha1 != nil && !metadata.isDigestAdvice
        else { return nil }
        if metadata.sha1 != nil { try await part.beginDigest(of: total) }
        guard case .whole = check(part, row.task, announced: total) else { return nil }
        return .whole
    }

    /// Returns the point from which a part can be resumed. Bytes written before the machine restarted may be missing in
    /// the middle, so such a part is not resumed.
    private nonisolated func point(_ row: QueuedTask, _ part: DownloadPart) -> ResumePoint? {
        guard var point = row.resume, row.boot == Self.boot, part.count > 0 else { return nil }
        point.count = part.count
        if let total = point.total, point.count >= total { point.count = max(0, total - 1) }
        return point.canResume ? point : nil
    }

    private nonisolated func check(_ part: DownloadPart, _ task: DownloadTask, announced: Int?) -> FetchOutcome {
        let metadata = task.metadata
        if let wanted = metadata.sha1, let came = part.takeDigest() {
            if came == wanted { return .whole }
            if !metadata.isDigestAdvice {
                return .corrupted("The received file is not the one that the server describes: its checksum differs.")
            }
        }
        // When the digest is only advisory, the length announced with the file takes precedence over the earlier one.
        guard let size = metadata.size, size != part.count, !metadata.isDigestAdvice || announced == nil else {
            return .whole
        }
        return .corrupted(
            "The received file is not the one that the server describes: \(part.count) bytes, not \(size).")
    }

    /// The boot ID of this machine. Where the system has none, a random value, so that no other program resumes the
    /// parts.
    static let boot: String = {
        let text = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self) }
        return text.map { $0.filter { !$0.isWhitespace } } ?? UUID().uuidString
    }()
}
