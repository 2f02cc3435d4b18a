import Crypto
import FoundationEssentials

/// Lets people add themselves. It says whether an address is taken, as the dialect wants it; so each attempt counts
/// against the client's address.
struct Registration: Sendable {
    /// What became of a registration.
    enum Outcome: Sendable {
        /// The person is there.
        case registered(Person)
        /// Too many attempts from this address; stay away for so long.
        case limited(Duration)
    }

    let people: PeopleStore
    let attempts: SignInGuard
    let audit: AuditLog

    /// Adds a person.
    ///
    /// - Throws: As ``PeopleStore/add(email:name:isAdministrator:password:)``.
    func register(_ email: String, _ password: Secret, from client: RequestOrigin) async throws -> Outcome {
        switch attempts.reserve(from: client.address, account: nil) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            defer { countAttempt(reservation, client) }
            let event = AuditEvent(
                .registered, address: client.address.description, request: client.request, device: client.device)
            return .registered(
                try await people.add(
                    email: email, name: nil, isAdministrator: false, password: password, recording: event))
        }
    }

    /// Adds the first person of a server, who administers it.
    ///
    /// - Throws: ``GatewayError/Code/personExists`` when there is somebody; else as
    ///   ``PeopleStore/add(email:name:isAdministrator:password:)``.
    func registerFirst(
        _ email: String, name: String, _ password: Secret, from client: RequestOrigin
    ) async throws -> Outcome {
        switch attempts.reserve(from: client.address, account: nil) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            defer { countAttempt(reservation, client) }
            let event = AuditEvent(
                .registered, reason: "first-administrator", address: client.address.description,
                request: client.request, device: client.device)
            return .registered(
                try await people.add(
                    email: email, name: name, isAdministrator: true, password: password, onlyFirst: true,
                    recording: event))
        }
    }

    private func countAttempt(_ reservation: SignInGuard.Reservation, _ client: RequestOrigin) {
        guard let length = attempts.fail(reservation).address else { return }
        audit.record(
            AuditEvent(
                .lockedOut, reason: "address", address: client.address.description, request: client.request,
                duration: length))
    }
}
