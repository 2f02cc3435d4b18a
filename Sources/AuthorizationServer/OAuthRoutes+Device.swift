import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OAuth
import Primitives

extension OAuthRoutes {
    /// `POST /oauth2/device_authorization`: stores a request of a device, and returns its codes.
    ///
    /// With the client `latch`, the parameter `dialect` names the server family whose token the device gets.
    ///
    /// Like an authorization request, it may ask how and how long ago the person authenticated.
    ///
    /// Source: RFC 8628 §3.1 and §3.2; RFC 8707 §2; RFC 9470 §4.
    func authorizeDevice(_ request: ServerRequest) async throws -> ServerResponse {
        let (form, client) = try await clientForm(request)
        guard client.allowsDevice else { return Self.deviceNotAllowed }
        var dialect: String?
        var grant = ClientGrant(client: client.id, scopes: [])
        // Without dialects for devices, the id is not reserved, and the configuration may give it to a client.
        if client == .latch, services.settings.authorizationServer.servesDialectsToDevices {
            dialect = form[DeviceGrant.dialectParameter]
            guard let family = dialect.flatMap({ deviceDialects[$0] }) else {
                return TokenResponses.invalidRequest(
                    "The parameter dialect must name one of the device_dialects_supported of the metadata.")
            }
            let asked = (form["scope"] ?? "").split(atByte: " ").prefix(Self.maximumScopes).map(String.init)
            guard let scopes = family.deviceScopes(asked) else {
                return TokenResponses.refusal(error: "invalid_scope", description: "A scope is not known.")
            }
            grant = ClientGrant(client: client.id, scopes: scopes)
        } else {
            do throws(AuthorizationError) {
                try AuthorizationParameters.requireShort(form)
                grant = ClientGrant(
                    client: client.id,
                    scopes: try AuthorizationParameters.scopes(form["scope"] ?? "", ruleScopes, client),
                    audience: try AuthorizationParameters.audience(form) { isResource($0, for: client) })
            } catch {
                return TokenResponses.refusal(error: error.code, sentence: error.sentence)
            }
        }
        let maximumAge: Duration?
        do throws(AuthorizationError) {
            maximumAge = try AuthorizationParameters.maximumAge(form)
        } catch {
            return TokenResponses.refusal(error: error.code, sentence: error.sentence)
        }
        guard
            let made = try await devices.begin(
                grant, dialect: dialect, device: onyxOrigin(of: request).device,
                level: AuthorizationParameters.level(form["acr_values"] ?? ""), maximumAge: maximumAge)
        else {
            return TokenResponses.refusal(
                .tooManyRequests, error: "temporarily_unavailable",
                description: "Too many devices wait for a sign-in. Try again later."
            ).retry(after: .seconds(60))
        }
        let page = issuer + prefix + Self.device
        return ServerResponse(
            status: .ok, headers: .privateJSON,
            body: JSONValue.object([
                .init("device_code", .string(made.device.reveal())), .init("user_code", .string(made.user.shown)),
                .init("verification_uri", .string(page)),
                .init("verification_uri_complete", .string("\(page)?\(Self.userCode)=\(made.user.shown)")),
                .init("expires_in", .number(DeviceRequestStore.lifetime.seconds)),
                .init("interval", .number(Double(DeviceRequestStore.interval))),
            ]).encoded())
    }

    private static let maximumScopes = 64

    private static let deviceDenied = TokenResponses.refusal(
        error: "access_denied", description: "The person did not allow the sign-in, or may not sign in to the client.")

    private static let deviceNotAllowed = TokenResponses.refusal(
        error: "unauthorized_client",
        description: "The client may not sign devices in. Allow it with 'device' in the configuration of the client.")

    /// Returns the tokens of a device once a person has allowed its request, or why there are none.
    ///
    /// Source: RFC 8628 §3.4 and §3.5.
    func exchangeDevice(
        _ form: FormFields, _ client: RegisteredClient, _ request: ServerRequest
    ) async throws -> ServerResponse {
        guard client.allowsDevice else { return Self.deviceNotAllowed }
        guard let code = form["device_code"] else {
            return TokenResponses.invalidRequest("The parameter device_code is missing.")
        }
        guard let poll = try await poll(code, client) else { return ProofRefusal.repeated.tokenResponse }
        switch poll {
        case .pending:
            return TokenResponses.refusal(
                error: "authorization_pending", description: "The person has not decided yet. Ask again later.")
        case .slowDown:
            return TokenResponses.refusal(
                error: "slow_down", description: "Wait 5 seconds longer between two requests from now on.")
        case .denied: return Self.deviceDenied
        case .expired:
            return TokenResponses.refusal(
                error: "expired_token", description: "The code has expired. Start the sign-in again.")
        case .unknown: return refuse(nil, "unknown-device-code", client, request)
        case .allowed(let asked, let approval): return try await finish(asked, approval, code, client, request)
        }
    }

    /// Returns what a device learns that asks for its tokens. Nil when its proof of possession was used before.
    ///
    /// The proof is recorded before the decision of the person is used up, so that a request with a repeated proof leaves
    /// the decision for the next one, and only for a code that a person has allowed, so that nobody else fills the memory
    /// of used proofs.
    private func poll(_ code: String, _ client: RegisteredClient) async throws -> DevicePoll? {
        guard RequestProof.current != nil else { return try await devices.poll(code, of: client.id) }
        let poll = try await devices.poll(code, of: client.id, usesUp: false)
        guard case .allowed(_, let approval) = poll else { return poll }
        guard try await RequestProof.recordCurrent(of: approval.person) else { return nil }
        return try await devices.poll(code, of: client.id)
    }

    private func finish(
        _ asked: DeviceRequest, _ approval: DeviceApproval, _ code: String, _ client: RegisteredClient,
        _ request: ServerRequest
    ) async throws -> ServerResponse {
        let person: Person
        switch try await self.person(
            approval.person, epoch: approval.sessionEpoch, browser: approval.browser,
            allowing: asked.dialect == nil ? asked.grant : nil)
        {
        case .failure(let change): return refuse(approval.person, change.reason, client, request)
        case .success(let found): person = found
        }
        do {
            guard let id = asked.dialect else {
                return try await whileLive(approval.browser) {
                    try await issue(
                        asked.grant, for: person, id: SessionID(ofCode: code),
                        Authentication(
                            time: approval.authenticated, methods: approval.methods, nonce: nil,
                            browser: approval.browser), client, request)
                }
            }
            guard let dialect = deviceDialects[id] else {
                return refuse(person.id, "unknown-dialect", client, request)
            }
            let token = try await whileLive(approval.browser) {
                try await dialect.issueDeviceToken(for: person, scopes: asked.grant.scopes, approval, request)
            }
            recordSignIn(of: person.id, token.session, onyxOrigin(of: request).device, client, request)
            return Self.response(token)
        } catch let error as GatewayError where error.code == .unknownPerson {
            return refuse(person.id, "person-changed", client, request)
        } catch let error as GatewayError where error.code == .sessionEnded {
            return refuse(person.id, "browser-signed-out", client, request)
        } catch let error as GatewayError where error.code == .unknownClient {
            return refuse(person.id, "access-removed", client, request)
        } catch let refusal as ClientRefusal {
            _ = refuse(person.id, refusal.reason, client, request)
            return Self.deviceDenied
        } catch let error as GatewayError where error.code == .tooManyKeys {
            return refuse(person.id, "too-many-keys", client, request)
        }
    }

    private static func response(_ token: DeviceToken) -> ServerResponse {
        let members: [JSONValue.Member?] = [
            .init("access_token", .string(token.token.reveal())), Self.tokenType(token.keyThumbprint),
            token.expiresIn.map { .init("expires_in", .number($0.seconds.rounded(.down))) },
            token.key.map { .init("scope", .string($0.scopes.joined(separator: " "))) },
            token.key.map { .init(DeviceGrant.keyMember, .string($0.id.uuidString.lowercased())) },
        ]
        return ServerResponse(
            status: .ok, headers: .privateJSON, body: JSONValue.object(members.compactMap { $0 }).encoded())
    }
}
