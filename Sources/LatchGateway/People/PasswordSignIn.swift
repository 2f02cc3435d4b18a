import Crypto
import FoundationEssentials

/// Signs people in with e-mail address and password.
///
/// A wrong password, somebody who is not there and somebody who is disabled get one answer after the same steps: a place
/// of the guard, one read of the database, one hash.
///
/// Source: contract of Onyx, b.8; OWASP Authentication Cheat Sheet, "Authentication and Error Messages".
struct PasswordSignIn: Sendable {
    /// What became of a sign-in.
    enum Outcome: Sendable {
        /// The person is signed in.
        case signedIn(SessionCredential)
        /// Not these credentials; why is nobody's business.
        case refused
        /// The password is right but must be changed first, and this client cannot change it: no session is started.
        case passwordChangeRequired
        /// Too many failures; stay away for so long.
        case limited(Duration)
    }

    let people: PeopleStore
    let hasher: PasswordHasher
    let issuer: any SessionIssuer
    let attempts: SignInGuard
    let audit: AuditLog
    let log: Log

    /// Tries one password.
    ///
    /// `canChange` says whether the client can change a password. If not, a person who must change theirs gets no session,
    /// because it would open nothing.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the queue of hashing is full. An attempt that throws, or is cancelled
    ///   before its password was looked at, does not count.
    func attempt(
        _ email: EmailAddress, _ password: Secret, from client: RequestOrigin, canChange: Bool = true
    ) async throws -> Outcome {
        switch try await check(email, password, from: client) {
        case .right(let credential) where !canChange && credential.person.mustChangePassword:
            audit.record(
                AuditEvent(
                    .signInFailed, reason: "password-change-required", person: credential.person.id,
                    address: client.address.description, request: client.request, device: client.device))
            return .passwordChangeRequired
        case .right(let credential): return try await start(credential, password, client)
        case .refused: return .refused
        case .limited(let wait): return .limited(wait)
        }
    }

    /// What a password is worth.
    enum Verdict: Sendable {
        /// It is the person's, who may sign in.
        case right(StoredCredential)
        /// It is not; why is nobody's business.
        case refused
        /// Too many failures; stay away for so long.
        case limited(Duration)
    }

    /// Looks at one password and starts no session: a sign-in, or a person who shows once more who it is.
    ///
    /// - Throws: As ``attempt(_:_:from:)``.
    func check(_ email: EmailAddress, _ password: Secret, from client: RequestOrigin) async throws -> Verdict {
        switch attempts.reserve(from: client.address, account: email) {
        case .refused(let wait):
            return .limited(wait)
        case .granted(let reservation):
            let credential: StoredCredential?
            let matches: Bool
            do {
                credential = try await people.credential(email)
                matches = try await hasher.verify(
                    password, against: credential?.hash, mayEnter: credential?.person.isActive ?? false)
            } catch {
                attempts.release(reservation)
                throw error
            }
            guard let credential, matches, credential.person.isActive else {
                let reason: StaticString =
                    if credential == nil { "unknown-account" } else if matches { "disabled" } else { "wrong-password" }
                fail(reason, credential?.person.id, reservation, client)
                return .refused
            }
            attempts.succeed(reservation)
            return .right(credential)
        }
    }

    private func start(_ credential: StoredCredential, _ password: Secret, _ client: RequestOrigin) async throws
        -> Outcome
    {
        await rehashIfOutdated(credential, password, client)
        do {
            let session = try await issuer.issue(for: credential.person, device: client.device)
            audit.record(
                AuditEvent(
                    .signIn, person: session.person, session: session.session, address: client.address.description,
                    request: client.request, device: client.device))
            return .signedIn(session)
        } catch let error as GatewayError where error.code == .unknownPerson {
            return .refused
        }
    }

    /// A sign-in does not fail because the better hash could not be made now; the next one tries again.
    private func rehashIfOutdated(_ credential: StoredCredential, _ password: Secret, _ client: RequestOrigin) async {
        guard let hash = credential.hash, hasher.isOutdated(hash) else { return }
        do {
            try await people.rehash(password, of: credential.person.id, replacing: hash)
        } catch {
            log.debug("A password was not hashed anew.", ["request": .text(client.request)])
        }
    }

    /// Counts and records a failed attempt, with the lock-outs that it caused.
    func fail(_ reason: StaticString, _ person: UUID?, _ reservation: SignInGuard.Reservation, _ client: RequestOrigin)
    {
        let lockOuts = attempts.fail(reservation)
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
