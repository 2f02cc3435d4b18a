import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

/// Whether a server of Immich that does not have something is in maintenance: it has nothing at all then, and says so
/// in the same words.
///
/// It is asked once for all that has come to nothing at about the same time, and not for each.
///
/// Source: contract of Immich, rule 24; `GET /server/config`, `maintenanceMode`, from 2.3.
actor MaintenanceInquiry {
    /// What a server says.
    enum Finding: Sendable, Equatable {
        /// It is at work: what it does not have is gone.
        case atWork
        /// It is in maintenance.
        case maintenance
        /// It does not say now, for that reason.
        case unknown(String)
    }

    /// How long an answer is good for. A server goes into maintenance, and out of it, by being started anew.
    private let validity: Duration
    private var findings: [UUID: (asked: ContinuousClock.Instant, answer: Task<Finding, Never>)] = [:]

    init(validity: Duration = .seconds(2)) { self.validity = validity }

    /// What the server of an account says; one of another family has no such thing.
    func finding(at session: Session, of account: Account) async -> Finding {
        guard account.dialect.rawValue == "immich" else { return .atWork }
        let answer: Task<Finding, Never>
        if let known = findings[account.id], .now < known.asked + validity {
            answer = known.answer
        } else {
            answer = Task { await Self.ask(session, ImmichAssetReading.api(of: account)) }
            findings[account.id] = (.now, answer)
        }
        // Whoever stops a download does not wait for a server that says nothing; who asked with it asks again.
        return await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
    }

    private static func ask(_ session: Session, _ api: String) async -> Finding {
        do {
            let answer = try await session.client.send(
                .get, api + "/server/config", headers: ["Accept": JSON.mediaType])
            if answer.status.rawValue >= 500 { return .unknown("status \(answer.status)") }
            let config = answer.status.isSuccess ? try? JSON.decode(ImmichConfig.self, from: answer.body) : nil
            return config?.maintenanceMode == true ? .maintenance : .atWork
        } catch {
            return .unknown((error as? LatchError)?.message ?? "\(error)")
        }
    }
}

extension DownloadQueue {
    /// What stands behind a server's saying that it does not have a file; nil where it means just that.
    func outage(behind answer: ClientResponse, to row: QueuedTask, _ session: Session) async throws -> FetchOutcome? {
        // Another origin does not speak for the server.
        guard answer.status == .notFound, answer.redirection?.isElsewhere != true,
            let account = try await latch.accounts.account(row.task.account)
        else { return nil }
        let wait = answer.retryAfter(now: now())
        let finding = await maintenance.finding(at: session, of: account)
        try Task.checkCancellation()
        switch finding {
        case .atWork: return nil
        case .maintenance:
            return .outage(
                HostTrouble(reason: "The server '\(row.host)' is in maintenance.", isUnreachable: true, wait: wait))
        case .unknown(let why):
            let reason =
                "The server '\(row.host)' has nothing now, and does not say whether it is in maintenance (\(why))."
            return .outage(HostTrouble(reason: reason, isUnreachable: false, wait: wait))
        }
    }
}
