import Desktop
import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit

/// Fetches single tasks: finds what exists already, resumes parts, and decides what a response means.
struct FileFetcher: Sendable {
    /// The result of an attempt to fetch a task.
    enum Result: Sendable {
        /// The file is complete and must be moved to its destination. The part is nil when it is not open.
        case complete(QueuedTask, DownloadPart?)
        /// The attempt brought no complete file.
        case failed(QueuedTask, FetchOutcome, DownloadPart?)
        /// The task has ended or was paused since it was read.
        case obsolete
    }

    let context: DownloadContext
    /// The sessions of this run.
    let sessions: AccountSessions
    /// Finds out which servers are in maintenance.
    private let maintenance = MaintenanceCheck()

    private var store: DownloadStore { context.store }
    private var folder: DownloadFolder { context.folder }

    init(_ context: DownloadContext) {
        self.context = context
        sessions = AccountSessions(context.latch)
    }

    /// Fetches one task, unless its file exists already.
    ///
    /// The database records the running state and the resume point only for transfers that take longer than an
    /// interval.
    ///
    /// - Parameters:
    ///   - running: The fetch, which shows its progress.
    ///   - isAbsent: Whether the file is known not to exist at its destination.
    /// - Returns: The result. Nothing is thrown, and the part stays open.
    func fetch(_ running: RunningFetch, isAbsent: Bool) async -> Result {
        var row = running.row
        do {
            if row.task.metadata.liveID != nil {
                // The other part may have put both files at their destinations since this row was read.
                guard let fresh = try await store.task(row.position), !fresh.state.isOver, fresh.state != .paused else {
                    return .obsolete
                }
                row = fresh
            }
            context.broadcast.send(.status(id: row.task.id, .running))
            try await context.hook.after(.started)
            if row.isWhole {
                // For a live photo, only the code that moves both parts checks where they are.
                if row.task.metadata.liveID != nil || folder.placementState(row) != .missing {
                    return .complete(row, nil)
                }
                try await store.recordRestart(row.position)
                (row.isWhole, row.path, row.resume) = (false, nil, nil)
            }
            // The knowledge is about this file only; the other part of a live photo may exist.
            let isAbsent = isAbsent && row.task.metadata.liveID == nil
            if !row.task.metadata.fetchesExisting, !isAbsent, let path = try await existing(row) {
                return .failed(row, .missing("The file is already here: \(path)"), nil)
            }
            let part = try await openPart(row)
            // When the digest is only advisory, the file may have another length.
            if !row.task.metadata.isDigestAdvice { part.maximumCount = row.task.metadata.size }
            running.open(part)
            return await fetch(row, into: part, running: running)
        } catch {
            return .failed(row, FetchOutcome(error, account: row.task.account), nil)
        }
    }

    private func fetch(_ row: QueuedTask, into part: DownloadPart, running: RunningFetch) async -> Result {
        let outcome: FetchOutcome
        do {
            if let complete = try await outcomeIfComplete(row, part) {
                outcome = complete
            } else {
                outcome = try await transfer(row, into: part, running: running)
            }
        } catch {
            outcome = FetchOutcome(error, account: row.task.account)
        }
        guard case .whole = outcome else { return .failed(row, outcome, part) }
        var row = row
        row.task.metadata.version = running.version
        return .complete(row, part)
    }

    private func openPart(_ row: QueuedTask) async throws -> DownloadPart {
        do {
            return try DownloadPart(path: folder.partPath(row))
        } catch  where !DownloadFolder.exists(folder.partsPath) {
            try await folder.check()
            // The folder of the parts was removed, but the library's folder still exists.
            try FolderLibrary.make(folder.partsPath)
            return try DownloadPart(path: folder.partPath(row))
        }
    }

    /// Returns the path of a task's file if it exists already. For a live photo both files must exist; otherwise both
    /// are fetched.
    private func existing(_ row: QueuedTask) async throws -> String? {
        guard let path = try await context.library.existing(row.task) else { return nil }
        guard let partner = try await store.partner(of: row) else { return path }
        return try await context.library.existing(partner.task) == nil ? nil : path
    }

    private func transfer(
        _ row: QueuedTask, into part: DownloadPart, running: RunningFetch
    ) async throws -> FetchOutcome {
        let task = row.task
        guard let session = try await sessions.session(of: task.account) else {
            return .failed("Its account no longer exists.")
        }
        let point = point(row, part)
        if task.metadata.sha1 != nil {
            try await part.beginDigest(of: point?.canResume == true ? point?.count ?? 0 : 0)
        }
        // The resume point of an old part must not be used for the new one.
        if point == nil, row.resume != nil { try await store.record(row.position, resume: nil, boot: nil) }
        var outcome: FetchOutcome
        var address = task.url
        do {
            address = try await url(of: task)
            let response = try await session.client.download(
                address, headers: headers(task), into: part, from: point, stallTimeout: context.settings.stallTimeout,
                followsRedirects: task.group == .file, onBegin: running.recordStart)
            outcome =
                try await outage(behind: response, to: row, from: session)
                ?? evaluate(response, to: row, from: session, part: part)
            // The query of a redirect target may hold a signature.
            if response.redirection != nil { outcome = outcome.masked(of: response.url) }
            // An outage may be a response too, but it must not end the pause of the host.
            if case .outage = outcome {} else { running.recordResponse() }
            await sessions.recordExecutor(of: task.account, session)
        } catch {
            sessions.remove(task.account)
            outcome = FetchOutcome(
                error, account: task.account, hasResponse: running.hasResponse, isAddress: task.group == .file)
        }
        if task.metadata.sealedQuery != nil { outcome = outcome.masked(of: address) }
        try await context.hook.after(.fetched)
        return outcome
    }

    /// Returns the address of a task with its query.
    private func url(of task: DownloadTask) async throws -> String {
        guard task.metadata.sealedQuery != nil else { return task.url }
        return try SealedQuery.open(task, try await context.latch.accounts.sealingKey(of: task.account))
    }

    private func headers(_ task: DownloadTask) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in task.headers { headers[name] = value }
        return headers
    }

    private func evaluate(
        _ response: ClientResponse, to row: QueuedTask, from session: Session, part: DownloadPart
    ) -> FetchOutcome {
        let task = row.task
        guard [200, 206].contains(response.status.rawValue) else {
            if response.redirection?.isOtherOrigin ?? false {
                return FetchOutcome(elsewhere: response, to: row, now: context.now())
            }
            let own = session.dialect.errorMessage(in: response)
            let message = String((own ?? "status \(response.status)").prefix(200))
            return FetchOutcome(response, message, isOwn: own != nil, to: row, now: context.now())
        }
        // A proxy or a captive portal may send its own page with status 200.
        let isPage = response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
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
    private func outcomeIfComplete(_ row: QueuedTask, _ part: DownloadPart) async throws -> FetchOutcome? {
        let metadata = row.task.metadata
        guard let total = row.resume?.total, row.boot == SystemBoot.id, total > 0, part.count == total,
            metadata.size == total || metadata.sha1 != nil && !metadata.isDigestAdvice
        else { return nil }
        if metadata.sha1 != nil { try await part.beginDigest(of: total) }
        guard case .whole = check(part, row.task, announced: total) else { return nil }
        return .whole
    }

    /// Returns the point from which a part can be resumed. Bytes written before the machine restarted may be missing in
    /// the middle, so such a part is not resumed.
    private func point(_ row: QueuedTask, _ part: DownloadPart) -> ResumePoint? {
        guard var point = row.resume, row.boot == SystemBoot.id, part.count > 0 else { return nil }
        point.count = part.count
        // At least one byte is requested, because Immich responds to a range after the end with 404 or 500.
        if let total = point.total, point.count >= total { point.count = max(0, total - 1) }
        return point.canResume ? point : nil
    }

    private func check(_ part: DownloadPart, _ task: DownloadTask, announced: Int?) -> FetchOutcome {
        let metadata = task.metadata
        if let wanted = metadata.sha1, let came = part.finishDigest() {
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

    /// Returns the outage that caused a 404 response. Nil when the response means that the file does not exist.
    private func outage(behind response: ClientResponse, to row: QueuedTask, from session: Session) async throws
        -> FetchOutcome?
    {
        // A response from another origin says nothing about the server.
        guard response.status == .notFound, response.redirection?.isOtherOrigin != true,
            let account = try await context.latch.accounts.account(row.task.account)
        else { return nil }
        let wait = response.retryAfter(now: context.now())
        let maintenanceState = await maintenance.maintenanceState(at: session, of: account)
        // A stopped fetch cancels the request. Its unknown result would otherwise pause the host.
        try Task.checkCancellation()
        switch maintenanceState {
        case .atWork: return nil
        case .maintenance:
            return .outage(
                HostFailure(reason: "The server '\(row.host)' is in maintenance.", isUnreachable: true, wait: wait))
        case .unknown(let why):
            let reason =
                "The server '\(row.host)' serves no files now, and does not say whether it is in maintenance (\(why))."
            return .outage(HostFailure(reason: reason, isUnreachable: false, wait: wait))
        }
    }
}
