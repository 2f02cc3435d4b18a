package import Crypto
package import FoundationEssentials

/// Signs people in with e-mail address and password.
///
/// A wrong password, an unknown address and a disabled person lead to the same result after the same steps: one
/// reservation of the guard, one read of the database, one password check and one count of the failure.
///
/// Source: docs/protocols/onyx.md, Sign-in with a password; OWASP Authentication Cheat Sheet.
package struct PasswordSignIn: Sendable {
    /// The result of a sign-in.
    package enum Outcome: Sendable {
        /// The person is signed in.
        case signedIn(SessionCredential)
        /// The credentials are refused. The reason is not revealed.
        case refused
        /// The password is correct but must be changed first, and this client cannot change it. No session is started.
        case passwordChangeRequired
        /// Too many attempts failed, or the person has signed in too often. The value is the time to wait.
        case limited(Duration)
    }

    let people: PeopleStore
    let hasher: PasswordHasher
    let issuer: any SessionIssuer
    let attempts: SignInGuard
    let limits: RequestLimits
    let audit: AuditLog
    let log: Log

    /// Creates the sign-in of a gateway.
    package init(
        people: PeopleStore, hasher: PasswordHasher, issuer: any SessionIssuer, attempts: SignInGuard,
        limits: RequestLimits, audit: AuditLog, log: Log
    ) {
        self.people = people
        self.hasher = hasher
        self.issuer = issuer
        self.attempts = attempts
        self.limits = limits
        self.audit = audit
        self.log = log
    }

    /// Checks a password and starts a session if it is correct.
    ///
    /// `canChange` is whether the client can change a password. If not, a person who must change their password gets no
    /// session, because the session could not be used for anything. `shape` is the format of its token.
    ///
    /// Correct passwords count for ``RequestLimits/Kind/signIns`` of the person.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the hashing queue is full; `DatabaseError` when the attempt could not
    ///   be counted. An attempt that throws, or is cancelled before its password was checked, does not count.
    package func attempt(
        _ email: EmailAddress, _ password: Secret, from client: RequestOrigin, canChange: Bool = true,
        token shape: TokenFormat = .opaque
    ) async throws -> Outcome {
        switch try await check(email, password, from: client) {
        case .right(let credential):
            if let wait = limits.consume(.signIns, .person(credential.person.id)) { return .limited(wait) }
            guard canChange || !credential.person.mustChangePassword else {
                recordRequiredChange(of: credential.person, from: client)
                return .passwordChangeRequired
            }
            return try await startSession(for: credential, password: password, from: client, shape)
        case .refused: return .refused
        case .limited(let wait): return .limited(wait)
        }
    }

    private func recordRequiredChange(of person: Person, from client: RequestOrigin) {
        audit.record(
            AuditEvent(
                .signInFailed, reason: "password-change-required", person: person.id,
                address: client.address.description, request: client.request, device: client.device))
    }

    /// The result of a password check.
    package enum PasswordCheck: Sendable {
        /// The password is correct, and the person may sign in.
        case right(StoredCredential)
        /// The password is refused. The reason is not revealed.
        case refused
        /// Too many attempts failed. The value is the time to wait.
        case limited(Duration)
    }

    /// Checks a password without starting a session: for a sign-in, or when a person must authenticate again.
    ///
    /// - Throws: The same errors as ``attempt(_:_:from:canChange:)``.
    package func check(_ email: EmailAddress, _ password: Secret, from client: RequestOrigin) async throws
        -> PasswordCheck
    {
        switch try await attempts.reserve(from: client.address, guessing: .password(email)) {
        case .refused(let wait):
            return .limited(wait)
        case .granted(let reservation):
            let credential: StoredCredential?
            let matches: Bool
            do {
                credential = try await people.credential(email)
                matches = try await hasher.verify(
                    password, against: credential?.hash, mayEnter: credential?.person.isActive ?? false,
                    for: .signingIn(
                        email, as: reservation.isAtKnownAddress ? credential?.person.id : nil, from: client.address))
                try attempts.requireInTime(reservation)
            } catch {
                attempts.release(reservation)
                throw error
            }
            guard let credential, matches, credential.person.isActive else {
                let reason: StaticString =
                    if credential == nil { "unknown-account" } else if matches { "disabled" } else { "wrong-password" }
                // A disabled person's correct password counts too. Otherwise the missing lock-out would reveal it.
                try await fail(reservation, reason: reason, person: credential?.person.id, from: client)
                return .refused
            }
            try await attempts.succeed(reservation)
            hasher.recordSignIn(from: client.address)
            return .right(credential)
        }
    }

    private func startSession(
        for credential: StoredCredential, password: Secret, from client: RequestOrigin, _ shape: TokenFormat
    ) async throws -> Outcome {
        await rehashIfOutdated(credential, password: password, from: client)
        do {
            let session = try await issuer.issue(
                for: credential.person, device: client.device, token: shape)
            audit.record(
                AuditEvent(
                    .signIn, person: session.person, session: session.session, address: client.address.description,
                    request: client.request, device: client.device))
            return .signedIn(session)
        } catch let error as GatewayError where error.code == .unknownPerson {
            // The person was disabled, removed or given another password after the check.
            return .refused
        }
    }

    /// Replaces an outdated hash. If that fails, the sign-in still succeeds, and the next sign-in tries again.
    private func rehashIfOutdated(
        _ credential: StoredCredential, password: Secret, from client: RequestOrigin
    ) async {
        guard let hash = credential.hash, hasher.isOutdated(hash) else { return }
        do {
            try await people.rehash(password, of: credential.person.id, replacing: hash)
        } catch {
            log.debug("Could not rehash a password.", ["request": .text(client.request)])
        }
    }

    /// Counts and records a failed attempt, with the lock-outs that it caused.
    ///
    /// - Throws: `DatabaseError` when the attempt could not be counted.
    package func fail(
        _ reservation: SignInGuard.Reservation, reason: StaticString, person: UUID?, from client: RequestOrigin
    ) async throws {
        let lockOuts = try await attempts.fail(reservation)
        let address = client.address.description
        audit.record(
            AuditEvent(
                .signInFailed, reason: reason, person: person, address: address, request: client.request,
                device: client.device))
        if let length = lockOuts.account {
            audit.record(
                AuditEvent(
                    .lockedOut, reason: "account", person: person, address: address, request: client.request,
                    duration: length))
        }
        if let length = lockOuts.address {
            audit.record(
                AuditEvent(.lockedOut, reason: "address", address: address, request: client.request, duration: length))
        }
    }
}
