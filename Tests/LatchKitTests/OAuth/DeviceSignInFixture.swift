import Foundation
import HTTPMessages
import OAuth
import OpenIDConnect
import Synchronization

@testable import LatchKit

/// A server of OAuth 2.1 with the device grant, whose answers a test gives. The clock is advanced by the pauses.
final class DeviceSignInFixture: Sendable {
    static let deviceCode = "the-device-code-that-nobody-else-knows"

    /// An answer of the token endpoint to a device.
    enum Answer: Sendable {
        case pending, slowDown, silence, page
        case error(String)
        case status(Int)
        /// Tokens with a number.
        case tokens(Int)
    }

    struct State: Sendable {
        var lifetime = 600
        /// The response with the codes. Nil for a valid one.
        var codes: ScriptedServer.Response?
        /// The response to a registration. Nil for a valid one.
        var registration: ScriptedServer.Response?
        var onPoll: @Sendable () -> Void = {}
        fileprivate var answers: [Answer] = []
        fileprivate var polls = 0
        fileprivate var pauses: [Duration] = []
        fileprivate var events: [DeviceSignIn.Event] = []
        fileprivate var registrations: [JSONValue] = []
    }

    let oauth: OAuthFixture
    private let state = Mutex(State())

    init(
        _ metadata: [String: JSONValue] = [:], _ change: (inout OAuthScript.Settings) -> Void = { _ in }
    ) throws {
        var settings = OAuthScript.Settings()
        change(&settings)
        settings.metadata = metadata.merging(["device_authorization_endpoint": "BASE/oauth/device"]) { first, _ in first
        }
        oauth = try OAuthFixture(settings)
        oauth.script.add(client: "by-hand", redirects: [])
        oauth.script.intercept { [weak self] in self?.response($0) }
    }

    var home: HomeFixture { oauth.home }
    var pauses: [Duration] { state.withLock(\.pauses) }
    var polls: Int { state.withLock(\.polls) }
    var registrations: [JSONValue] { state.withLock(\.registrations) }

    /// The codes that were shown.
    var codes: [DeviceSignIn.Code] {
        state.withLock(\.events).compactMap { if case .waiting(let code) = $0 { code } else { nil } }
    }

    /// The failures that were reported.
    var retries: [LatchError.Code] {
        state.withLock(\.events).compactMap { if case .retrying(let error) = $0 { error.code } else { nil } }
    }

    func set(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Gives the next answers of the token endpoint. After them, the person has not decided.
    func answer(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    /// Signs in. `pause` takes the place of waiting.
    func signIn(
        _ latch: LatchClient, clientID: String? = nil, timeout: Duration? = nil,
        pause: (@Sendable (Duration) async throws -> Void)? = nil
    ) async throws -> Account {
        var signIn = DeviceSignIn(clientID: clientID, timeout: timeout) { event in
            self.state.withLock { $0.events.append(event) }
        }
        signIn.pause = { time in
            self.state.withLock { $0.pauses.append(time) }
            try await pause?(time)
        }
        signIn.elapsed = { self.state.withLock { $0.pauses.reduce(.zero, +) } }
        return try await latch.signIn(signIn, to: try await oauth.server(latch))
    }

    private func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response? {
        switch request.path {
        case "/oauth/register":
            let body = try? JSONValue(parsing: Array(request.body.utf8))
            let (number, given) = state.withLock { state in
                state.registrations.append(body ?? .null)
                return (state.registrations.count, state.registration)
            }
            if let given { return given }
            oauth.script.add(client: "device-client-\(number)", redirects: [])
            return .json(#"{"client_id":"device-client-\#(number)","token_endpoint_auth_method":"none"}"#, 201)
        case "/oauth/device": return codes(OAuthScript.base(of: request))
        case "/oauth/token" where request.body.contains("device_code"):
            let refusal = oauth.script.state.withLock { $0.settings.binds ? $0.proofRefusal(request) : nil }
            return refusal ?? (request.body.contains(Self.deviceCode) ? tokens(request) : unknown(request))
        default: return nil
        }
    }

    private func codes(_ base: String) -> ScriptedServer.Response {
        let (given, lifetime) = state.withLock { ($0.codes, $0.lifetime) }
        return given
            ?? .json(
                #"""
                {"device_code":"\#(Self.deviceCode)","user_code":"WDJB-MJHT","verification_uri":"\#(base)/device",\#
                "verification_uri_complete":"\#(base)/device?user_code=WDJB-MJHT","expires_in":\#(lifetime)}
                """#)
    }

    /// The answer to a code that the server has not given to anybody.
    private func unknown(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let client = (try? FormURLEncoded.decode(request.body))?["client_id"] ?? ""
        let isKnown = oauth.script.seen.clients[client] != nil
        return .json(#"{"error":"\#(isKnown ? "invalid_grant" : "invalid_client")"}"#, 400)
    }

    private func tokens(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let (answer, onPoll) = state.withLock { state in
            state.polls += 1
            return (state.answers.isEmpty ? .pending : state.answers.removeFirst(), state.onPoll)
        }
        onPoll()
        switch answer {
        case .pending: return .json(#"{"error":"authorization_pending"}"#, 400)
        case .slowDown: return .json(#"{"error":"slow_down"}"#, 400)
        case .error(let error): return .json(#"{"error":"\#(error)"}"#, 400)
        case .silence: return .silence
        case .page: return .page(200)
        case .status(let status): return .json("{}", status)
        case .tokens(let number):
            let form = try? FormURLEncoded.decode(request.body)
            let client = form?["client_id"] ?? ""
            let key = request.headers[DPoPProof.field].flatMap { try? DPoPProof(parsing: $0).verifiedThumbprint() }
            let isBound = oauth.script.state.withLock { state in
                state.families["device-\(number)"] = OAuthScript.Family(
                    client: client, redirect: "", challenge: "", access: ["device-access-\(number)"],
                    refresh: ["device-refresh-\(number)"], key: key)
                return state.settings.binds
            }
            return .json(
                #"""
                {"access_token":"device-access-\#(number)","token_type":"\#(isBound ? "DPoP" : "Bearer")",\#
                "expires_in":300,\#
                "refresh_token":"device-refresh-\#(number)"}
                """#)
        }
    }
}
