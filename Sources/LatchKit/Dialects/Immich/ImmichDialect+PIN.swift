import FoundationEssentials
import HTTPClient
import HTTPMessages
import ServerMessages

extension ImmichDialect: PINDialect {
    /// Requests the state of the PIN with `GET /auth/status`.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    package func pinState(with client: AuthorizedClient) async throws -> PINState {
        let response = try await client.send(request(.get, "/auth/status"))
        try checkPIN(response, client)
        guard let status = try? JSON.decode(ImmichAuthStatus.self, from: response.body) else {
            throw LatchError(
                .interceptedResponse, "The response of \(client.server) is not the state of a PIN. Try again later.")
        }
        let now = client.session.accounts.now()
        let until = status.pinExpiresAt.flatMap(ImmichDate.read)
        let serverTime = response.headers["Date"].flatMap { HTTPDate($0, now: Int(now.timeIntervalSince1970)) }
        let left = until?.timeIntervalSince(
            serverTime.map { Date(timeIntervalSince1970: Double($0.seconds)) } ?? now)
        return PINState(
            isSet: status.pinCode, isUnlocked: status.isElevated, unlockedUntil: until,
            unlockedFor: left.map { .seconds($0) })
    }

    /// Performs an action on the PIN with the routes of the releases from 1.133 on. If a route for setting or unlocking
    /// is missing, a route that no release has is used (docs/protocols/immich.md). Any successful status is accepted, because servers and
    /// documents differ between 204, 200 and 201.
    ///
    /// Source: IM-15; docs/protocols/immich.md, Requests that no release has.
    package func perform(_ action: PINAction, with client: AuthorizedClient) async throws {
        let (released, specified) = requests(action)
        var response = try await client.send(released)
        if response.isUnknownRoute, let specified { response = try await client.send(specified) }
        try checkPIN(response, client, isShort: action.hasShortPIN)
    }

    private func requests(_ action: PINAction) -> (released: DialectRequest, specified: DialectRequest?) {
        let code = "/auth/pin-code"
        switch action {
        case .set(let pin):
            let message = ImmichPINRequest(pinCode: pin.digits.reveal())
            return (request(.post, code, body: message), request(.put, code, body: message))
        case .change(let pin, let proof):
            var message = Self.message(proof)
            message.newPinCode = pin.digits.reveal()
            return (request(.put, code, body: message), nil)
        case .remove(let proof): return (request(.delete, code, body: Self.message(proof)), nil)
        case .unlock(let pin):
            let message = ImmichPINRequest(pinCode: pin.digits.reveal())
            return (
                request(.post, "/auth/session/unlock", body: message), request(.post, code + "/verify", body: message)
            )
        case .lock: return (request(.post, "/auth/session/lock"), nil)
        }
    }

    private static func message(_ proof: PINProof) -> ImmichPINRequest {
        switch proof {
        case .pin(let pin): ImmichPINRequest(pinCode: pin.digits.reveal())
        case .password(let password): ImmichPINRequest(password: password.reveal())
        }
    }

    /// Throws the error for an unsuccessful response about a PIN. The gateway responds with 429 while it locks the
    /// person out.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    private func checkPIN(
        _ response: ClientResponse, _ client: AuthorizedClient, isShort: Bool = false
    ) throws(LatchError) {
        guard !response.status.isSuccess else { return }
        let server = client.server
        if response.isUnknownRoute {
            throw LatchError(
                .serverRefused,
                "\(server) does not support PINs: Immich has them from version 1.133. If it did before, it may be in "
                    + "maintenance.")
        }
        if response.status == .tooManyRequests {
            let wait = response.headers["Retry-After"].flatMap { Int($0) }.map { max($0, 0) }
            throw LatchError(
                .rateLimited,
                "\(server) accepts no PIN at the moment, because there were too many wrong ones. "
                    + (wait.map { "Wait \($0) seconds, then try again." } ?? "Wait a while, then try again."),
                retryAfter: wait.map { .seconds($0) })
        }
        switch ImmichError(body: response.body)?.message {
        case "Wrong PIN code":
            throw LatchError(
                .wrongPIN, "\(server) says that the PIN is wrong. After several wrong PINs it may lock you out.")
        case "Wrong password":
            throw LatchError(.wrongCredentials, "\(server) says that this is not your password. Nothing was changed.")
        case "User already has a PIN code":
            throw LatchError(.serverRefused, "You already have a PIN at \(server). Change it instead.")
        case "User does not have a PIN code":
            throw LatchError(.serverRefused, "You have no PIN at \(server). Set one first.")
        default:
            if response.status == .badRequest, isShort {
                throw LatchError(
                    .invalidRequest, "\(server) requires a PIN of exactly six digits. Nothing was changed.")
            }
            throw client.refused(response)
        }
    }
}

extension PINAction {
    /// Whether the action sends a PIN of fewer than six digits, which no release of Immich accepts.
    fileprivate var hasShortPIN: Bool {
        let pins: [PIN] =
            switch self {
            case .set(let pin), .unlock(let pin), .change(let pin, .password): [pin]
            case .change(let pin, .pin(let old)): [pin, old]
            case .remove(.pin(let pin)): [pin]
            case .remove(.password), .lock: []
            }
        return pins.contains { $0.digits.count != 6 }
    }
}
