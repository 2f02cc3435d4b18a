import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit
import ServerMessages

/// Finds out whether an Immich server that responds with 404 is in maintenance. In maintenance it responds to every
/// request with the same words.
///
/// One request serves all tasks that fail at about the same time.
///
/// Source: docs/protocols/immich.md, Maintenance mode.
actor MaintenanceCheck {
    /// The state of a server.
    enum MaintenanceState: Sendable, Equatable {
        /// The server works normally. A file that it does not have was removed.
        case atWork
        /// The server is in maintenance.
        case maintenance
        /// The state could not be determined, for the given reason.
        case unknown(String)
    }

    /// How long a finding is valid. A server enters and leaves maintenance by a restart.
    private let validity: Duration
    private var findings: [UUID: (asked: ContinuousClock.Instant, response: Task<MaintenanceState, Never>)] = [:]

    init(validity: Duration = .seconds(2)) { self.validity = validity }

    /// Returns the state of an account's server. Servers of other families have no maintenance mode.
    func maintenanceState(at session: Session, of account: Account) async -> MaintenanceState {
        guard account.capabilities.contains(.pictureLibrary) else { return .atWork }
        let response: Task<MaintenanceState, Never>
        if let known = findings[account.id], .now < known.asked + validity {
            response = known.response
        } else {
            response = Task { await Self.ask(session, ImmichAssetReading.api(of: account)) }
            findings[account.id] = (.now, response)
        }
        // A stopped download does not wait for an unresponsive server. Others that share the request ask again.
        return await withTaskCancellationHandler {
            await response.value
        } onCancel: {
            response.cancel()
        }
    }

    private static func ask(_ session: Session, _ api: String) async -> MaintenanceState {
        do {
            let response = try await session.client.send(
                .get, api + "/server/config", headers: ["Accept": JSON.mediaType])
            if response.status.rawValue >= 500 { return .unknown("status \(response.status)") }
            let config = response.status.isSuccess ? try? JSON.decode(ImmichConfig.self, from: response.body) : nil
            return config?.maintenanceMode == true ? .maintenance : .atWork
        } catch {
            return .unknown((error as? LatchError)?.message ?? "\(error)")
        }
    }
}
