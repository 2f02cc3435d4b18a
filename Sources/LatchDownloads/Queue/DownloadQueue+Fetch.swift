import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

extension DownloadQueue {
    /// Fetches one task, as far as it is not there yet.
    ///
    /// That it runs, and what its part holds, is noted only when it has not come at once; see ``noteRunning()``.
    func fetch(_ running: RunningFetch) async {
        var row = running.row
        do {
            if row.task.metadata.liveID != nil {
                // Its other part may have put both in their places since this one was read.
                guard let fresh = try await store.task(row.position), !fresh.state.isOver, fresh.state != .paused else {
                    return leave(row)
                }
                row = fresh
            }
            broadcast.send(.status(id: row.task.id, .running))
            try await hook.after(.started)
            // Where the parts of a live photo are is known only to the one that puts both in their places.
            if row.isWhole, row.task.metadata.liveID != nil || standing(row) != .missing { return place(row, nil) }
            if row.isWhole {
                try await store.note(anew: row.position)
                (row.isWhole, row.path, row.resume) = (false, nil, nil)
            }
            if !row.task.metadata.isAgain, !isAbsent(row), let path = try await existing(row) {
                return await ended(row, .gone("It is here already: \(path)"), nil)
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
            // Somebody has cleared up.
            try FolderLibrary.make(partsFolder)
            return try DownloadPart(path: partPath(row))
        }
    }

    /// Notes what runs and where it stands, of all that has begun since the last time.
    ///
    /// Most files are small: they are there before this is called, and cost one note less. After a crash they begin
    /// anew.
    func noteRunning() async throws {
        let news = running.values.compactMap { fetch in fetch.news.map { (fetch, $0) } }
        guard !news.isEmpty else { return }
        try await store.note(running: news.map { (position: $0.row.position, point: $1.point) })
        for (fetch, news) in news { fetch.noted(news) }
    }

    /// Whether the file is known not to be there since the task was read; asked once, for another account's task may
    /// bring it.
    private func isAbsent(_ row: QueuedTask) -> Bool {
        absent.remove(row.task.id) != nil && row.task.metadata.liveID == nil && contended[row.position] == nil
    }

    /// The file of a task that is there already. Of a live photo both must be, else both are fetched.
    private func existing(_ row: QueuedTask) async throws -> String? {
        guard let path = try await library.existing(row.task) else { return nil }
        guard let partner = try await store.partner(of: row) else { return path }
        return try await library.existing(partner.task) == nil ? nil : path
    }

    /// An account's session; asked for once a run.
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
        guard let session = try await session(of: task.account) else { return .failed("Its account is gone.") }
        let point = point(row, part)
        if task.metadata.sha1 != nil {
            try await part.beginDigest(of: point?.canResume == true ? point?.count ?? 0 : 0)
        }
        // What is known of an old part must not be taken for knowledge of the new one.
        if point == nil, row.resume != nil { try await store.note(row.position, resume: nil, boot: nil) }
        var outcome: FetchOutcome
        var address = task.url
        do {
            address = try await url(of: task)
            let answer = try await session.client.download(
                address, headers: headers(task), into: part, from: point, stallTimeout: settings.stallTimeout,
                followsRedirects: task.group == .file, onBegin: running.begun)
            outcome = try await outage(behind: answer, to: row, session) ?? judge(answer, row, session, part)
            // Behind the `?` of where a redirect led may stand a signature.
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

    /// A task's address with its query.
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
        // A page of a proxy's or portal's comes with 200 too.
        let isPage = answer.headers["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
        guard !isPage || [".html", ".htm"].contains(SafeFileName(task.filename).ending.lowercased()) else {
            return .spoilt(
                "What came is a web page and not the file. Open the server in a browser and look who answers.")
        }
        return check(part, task, announced: part.total)
    }

    /// Judges a part that has come to its end before this program began: nothing more is asked for, since servers take
    /// a request from behind the end for one of a file that is gone. What nothing was told of beforehand is asked for
    /// again, for what came may have been somebody else's page.
    ///
    /// Source: contract of Immich, rule 19.
    private nonisolated func wholeAlready(_ row: QueuedTask, _ part: DownloadPart) async throws -> FetchOutcome? {
        let metadata = row.task.metadata
        guard let total = row.resume?.total, row.boot == Self.boot, total > 0, part.count == total,
            metadata.size == total || metadata.sha1 != nil && !metadata.isDigestAdvice
        else { return nil }
        if metadata.sha1 != nil { try await part.beginDigest(of: total) }
        guard case .whole = check(part, row.task, announced: total) else { return nil }
        return .whole
    }

    /// Where a part stands. What was written before the machine was started anew may have been lost from the middle.
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
                return .spoilt("What came is not the file that the server describes: its checksum is another.")
            }
        }
        // A length that the server announced with the file is worth more than one that it told before, where that is
        // advice.
        guard let size = metadata.size, size != part.count, !metadata.isDigestAdvice || announced == nil else {
            return .whole
        }
        return .spoilt("What came is not the file that the server describes: \(part.count) bytes, not \(size).")
    }

    /// The start of this machine; empty where it does not tell, and then nothing outlives this program.
    static let boot: String = {
        let text = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self) }
        return text.map { $0.filter { !$0.isWhitespace } } ?? UUID().uuidString
    }()
}
