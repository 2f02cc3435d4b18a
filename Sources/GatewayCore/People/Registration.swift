package import Crypto
import FoundationEssentials

/// Registers people who create their own accounts. The result reveals whether an address is taken, because the dialect
/// requires it. So each attempt counts against the client's address.
package struct Registration: Sendable {
    /// The result of a registration.
    package enum Outcome: Sendable {
        /// The person was added.
        case registered(Person)
        /// Too many attempts came from this address. The value is the time to wait.
        case limited(Duration)
    }

    let people: PeopleStore
    let attempts: SignInGuard
    let audit: AuditLog

    /// Creates the registration of a gateway.
    package init(people: PeopleStore, attempts: SignInGuard, audit: AuditLog) {
        self.people = people
        self.attempts = attempts
        self.audit = audit
    }

    /// Adds a person who registers.
    ///
    /// - Throws: The same errors as ``PeopleStore/add(email:name:isAdministrator:password:mustChange:)``.
    package func register(_ email: String, _ password: Secret, from client: RequestOrigin) async throws -> Outcome {
        switch try await attempts.reserve(from: client.address, guessing: nil) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            try await countAttempt(reservation, client)
            let event = AuditEvent(
                .registered, address: client.address.description, request: client.request, device: client.device)
            return .registered(
                try await people.add(
                    email: email, name: nil, isAdministrator: false, password: password, for: .from(client.address),
                    recording: event))
        }
    }

    /// Adds the first person of a server, as an administrator.
    ///
    /// - Throws: ``GatewayError/Code/personExists`` when there is already a person; otherwise the same errors as
    ///   ``PeopleStore/add(email:name:isAdministrator:password:mustChange:)``.
    package func registerFirst(
        _ email: String, name: String, _ password: Secret, from client: RequestOrigin
    ) async throws -> Outcome {
        switch try await attempts.reserve(from: client.address, guessing: nil) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            try await countAttempt(reservation, client)
            let event = AuditEvent(
                .registered, reason: "first-administrator", address: client.address.description,
                request: client.request, device: client.device)
            return .registered(
                try await people.add(
                    email: email, name: name, isAdministrator: true, password: password, onlyFirst: true,
                    for: .from(client.address), recording: event))
        }
    }

    /// Counts the attempt before its result is known, because every attempt counts.
    private func countAttempt(_ reservation: SignInGuard.Reservation, _ client: RequestOrigin) async throws {
        guard let length = try await attempts.fail(reservation).address else { return }
        audit.record(
            AuditEvent(
                .lockedOut, reason: "address", address: client.address.description, request: client.request,
                duration: length))
    }
}
