import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

extension ImmichRoutes {
    /// Adds the routes of the PIN, and those that unlock and lock a session.
    ///
    /// A PIN has six digits. Two routes of the app's specification accept four to six: `PUT` with only `pinCode`, and
    /// `verify`. So the routes that take an existing PIN accept four to six digits too.
    ///
    /// Source: IM-15; docs/protocols/immich.md, PIN and locked assets; the same page, Requests that no release has.
    func addPIN(to router: inout Router) {
        routing.on(.post, "/auth/pin-code", to: &router) { request in
            let caller = try await access.person(of: request, for: "pinCode.create")
            var body = ImmichBody(request)
            let text = body.pin("pinCode", 6...6)
            try body.check()
            return try await setPIN(text, of: caller)
        }
        routing.on(.put, "/auth/pin-code", to: &router) { try await changePIN($0) }
        routing.on(.delete, "/auth/pin-code", to: &router) { try await removePIN($0) }
        for path in ["/auth/session/unlock", "/auth/pin-code/verify"] {
            routing.on(.post, path, to: &router) { try await unlock($0) }
        }
        routing.on(.post, "/auth/session/lock", to: &router) { request in
            try await elevations.end(try await access.session(of: request, change: .endsAccess).session.id)
            return .noContent
        }
    }

    private func setPIN(_ text: String, of caller: ImmichCaller) async throws -> ServerResponse {
        // Reported before the recent sign-in is checked: signing in again would not help a person who has a PIN.
        guard try await !services.pins.isSet(caller.person.id) else { throw Self.hasPIN }
        try services.requireRecentSignIn(for: .setFirstPIN, caller.session)
        do {
            try await services.pins.set(try PIN(text), of: caller.person.id, by: caller.session.id)
            return .noContent
        } catch let error as GatewayError where error.code == .pinExists {
            throw Self.hasPIN
        } catch let error as GatewayError where error.code == .unknownPerson {
            throw ImmichRefusal(.unauthorized, "Invalid user token")
        }
    }

    /// `PUT /auth/pin-code`: changes the PIN, with the old one or the password as proof. With only `pinCode`, sets the
    /// first PIN.
    private func changePIN(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.person(of: request, for: "pinCode.update")
        var body = ImmichBody(request)
        if !body.has("newPinCode"), !body.has("password"), body.has("pinCode") {
            let text = body.pin("pinCode", 4...6)
            try body.check()
            return try await setPIN(text, of: caller)
        }
        let text = body.pin("newPinCode", 6...6)
        let proof = Self.proof(in: &body)
        try body.check()
        try await applyChange(with: proof, of: caller, in: request) {
            try await services.pins.change(to: try PIN(text), of: caller.person.id, by: $0)
        }
        return .noContent
    }

    /// `DELETE /auth/pin-code`: removes the PIN, with the PIN or the password as proof, and locks every session of the
    /// person.
    private func removePIN(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.person(of: request, for: "pinCode.delete")
        var body = ImmichBody(request)
        let proof = Self.proof(in: &body)
        try body.check()
        try await applyChange(with: proof, of: caller, in: request) {
            try await services.pins.remove(of: caller.person.id, by: $0)
        }
        return .noContent
    }

    /// `POST /auth/session/unlock` and `/auth/pin-code/verify`: unlock the session, so that it can see locked assets
    /// for 15 minutes.
    private func unlock(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request)
        var body = ImmichBody(request)
        let text = body.pin("pinCode", 4...6)
        try body.check()
        try refuse(try await services.pins.unlock(caller.session.id, with: try PIN(text), of: caller.person.id))
        let client = client(of: request)
        services.audit.record(
            AuditEvent(
                .sessionUnlocked, person: caller.person.id, session: caller.session.id,
                address: client.address.description, request: request.id, device: client.device))
        return .noContent
    }

    /// The proof that the person makes the request. The password takes precedence when both are present.
    private enum Proof {
        case pin(String)
        case password(String)
        case none
    }

    private static func proof(in body: inout ImmichBody) -> Proof {
        let pin = body.has("pinCode") ? body.pin("pinCode", 4...6) : nil
        if let password = body.optionalText("password") { return .password(password) }
        return pin.map(Proof.pin) ?? .none
    }

    /// Calls `change` with the proof of the request.
    private func applyChange(
        with proof: Proof, of caller: ImmichCaller, in request: ServerRequest,
        change: (PINProof) async throws -> PINStore.CheckResult
    ) async throws {
        guard try await services.pins.isSet(caller.person.id) else { throw Self.noPIN }
        switch proof {
        case .password(let password):
            let outcome = try await change(.password(try await provePassword(password, of: caller, request)))
            // The password has changed since it was checked.
            guard outcome != .wrong else { throw Self.wrongPassword }
            try refuse(outcome)
        case .pin(let pin): try refuse(try await change(.pin(try PIN(pin))))
        case .none: throw ImmichRefusal(.badRequest, "Either password or pinCode is required")
        }
    }

    private func refuse(_ outcome: PINStore.CheckResult) throws(ImmichRefusal) {
        switch outcome {
        case .right: return
        case .wrong: throw ImmichRefusal(.badRequest, "Wrong PIN code")
        case .notSet: throw Self.noPIN
        case .limited(let wait): throw ImmichRefusal(wait: wait)
        }
    }

    /// Checks the person's password, which counts like a sign-in, and returns the person as read for the check.
    ///
    /// - Throws: ``ImmichRefusal`` when the password is wrong, or after too many attempts.
    func provePassword(_ password: String, of caller: ImmichCaller, _ request: ServerRequest) async throws -> Person {
        guard !password.isEmpty else { throw Self.wrongPassword }
        let email = EmailAddress(normalizing: caller.person.email)
        switch try await services.signIn.check(email, Secret(password), from: client(of: request)) {
        // The e-mail address may belong to another person by now.
        case .right(let credential) where credential.person.id == caller.person.id: return credential.person
        case .right: throw Self.wrongPassword
        case .refused: throw Self.wrongPassword
        case .limited(let wait): throw ImmichRefusal(wait: wait)
        }
    }

    private static let hasPIN = ImmichRefusal(.badRequest, "User already has a PIN code")
    private static let noPIN = ImmichRefusal(.badRequest, "User does not have a PIN code")
    private static let wrongPassword = ImmichRefusal(.badRequest, "Wrong password")
}
