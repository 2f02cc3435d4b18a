import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

extension DownloadQueue {
    /// Fetches one task into its part.
    func fetch(_ row: QueuedTask, _ running: RunningFetch) async -> (FetchOutcome, DownloadPart?) {
        let task = row.task
        do {
            guard try await store.note(row.position, .running) else { return (.stopped, nil) }
            broadcast.send(.status(id: task.id, .running))
            try await hook.after(.started)
            if let path = try await library.existing(task) { return (.gone("It is here already: \(path)"), nil) }
            let part = try DownloadPart(path: partsFolder + "/" + PartName.of(task.account, task.id))
            running.open(part)
            if row.isWhole { return (.whole, part) }
            let outcome = try await transfer(row, part)
            try await hook.after(.fetched)
            return (outcome, part)
        } catch {
            return (FetchOutcome(error, account: task.account), nil)
        }
    }

    private func transfer(_ row: QueuedTask, _ part: DownloadPart) async throws -> FetchOutcome {
        let task = row.task
        guard let account = try await latch.accounts.account(task.account) else {
            return .failed("Its account is gone.")
        }
        let session = try latch.session(for: account)
        let point = point(row, part)
        if task.metadata.sha1 != nil {
            try await part.beginDigest(of: point?.canResume == true ? point?.count ?? 0 : 0)
        }
        var headers = HTTPHeaders()
        for (name, value) in task.headers { headers[name] = value }
        let (store, position) = (store, row.position)
        let answer = try await session.client.download(
            task.url, headers: headers, into: part, from: point, stallTimeout: settings.stallTimeout
        ) { begun in
            // Known to the queue's file before many bytes are there; without it the part begins anew after a crash.
            Task { try? await store.note(position, resume: begun, boot: Self.boot) }
        }
        guard [200, 206].contains(answer.status.rawValue) else {
            let words = session.dialect.words(in: answer) ?? "status \(answer.status)"
            return FetchOutcome(answer, String(words.prefix(200)), of: task.filename)
        }
        return check(part, task)
    }

    /// Where a part stands. What was written before the machine was started anew may have been lost from the middle.
    private func point(_ row: QueuedTask, _ part: DownloadPart) -> ResumePoint? {
        guard var point = row.resume, row.boot == Self.boot, part.count > 0 else { return nil }
        point.count = part.count
        if let total = point.total, point.count >= total { point.count = max(0, total - 1) }
        return point
    }

    private func check(_ part: DownloadPart, _ task: DownloadTask) -> FetchOutcome {
        guard let wanted = task.metadata.sha1, let came = part.takeDigest(), came != wanted,
            !task.metadata.isDigestAdvice
        else { return .whole }
        return .spoilt("What came is not the file that the server describes: its checksum is another.")
    }

    /// The start of this machine; empty where it does not tell, and then nothing outlives this program.
    static let boot: String = {
        let text = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self) }
        return text.map { $0.filter { !$0.isWhitespace } } ?? UUID().uuidString
    }()
}
