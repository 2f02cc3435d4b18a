import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayPages
@testable import LatchGateway

/// A gateway with clients that devices may sign in to: a public and a confidential one. The client `app` may not.
extension OAuthFixture {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let devicePage = "/oauth2/device"

    static func withDevices(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        try await with(
            { settings in
                settings.authorizationServer.clients += [
                    RegisteredClient(id: "tv", name: "Example TV", secretHash: nil, redirects: [], allowsDevice: true),
                    RegisteredClient(
                        id: "box", name: "Example Box", secretHash: SHA256.digest(secret), redirects: [],
                        allowsDevice: true),
                ]
                change(&settings)
            }, body)
    }

    /// A gateway with devices that may ask for the session of each dialect.
    static func withDialectDevices(_ body: (OAuthFixture) async throws -> Void) async throws {
        try await withDevices(
            { settings in
                settings.authorizationServer.servesDialectsToDevices = true
                settings.serveDialects()
            }, body)
    }

    /// Replaces the browser's session by one that was created from it, and returns the tokens of the two.
    func useChildSession(_ body: JSONValue = [:]) async throws -> (parent: String, child: String) {
        let parent = try browser.browser.cookies["latchd_session"].orThrow
        let response = try await gateway.http.send(
            "POST", "/im/sessions", headers: GatewayFixture.bearer(parent) + [("Content-Type", "application/json")],
            body: String(decoding: body.encoded(), as: UTF8.self))
        let child = try (response.json?["token"]?.string).orThrow
        browser.browser.cookies["latchd_session"] = child
        return (parent, child)
    }

    /// Asks for the codes of a device.
    func begin(_ changes: [(String, String?)] = []) async throws -> Exchange.Response {
        try await post(
            "device_authorization",
            Self.replacing([("client_id", "tv"), ("scope", "openid profile email")], changes),
            headers: [("User-Agent", "Living room")])
    }

    /// The codes of a device.
    func codes(_ changes: [(String, String?)] = []) async throws -> DeviceAuthorizationResponse {
        try DeviceAuthorizationResponse(parsing: Array(try await begin(changes).text.utf8))
    }

    /// Asks for the tokens of a device.
    func poll(
        _ codes: DeviceAuthorizationResponse, _ changes: [(String, String?)] = []
    ) async throws -> Exchange.Response {
        try await post(
            "token",
            Self.replacing(
                [("grant_type", Self.deviceGrant), ("device_code", codes.deviceCode.reveal()), ("client_id", "tv")],
                changes))
    }

    /// The error of a request for the tokens of a device.
    func pollError(
        _ codes: DeviceAuthorizationResponse, _ changes: [(String, String?)] = []
    ) async throws -> String? {
        try await poll(codes, changes).json?["error"]?.string
    }

    /// Enters a code on the page, as Ada.
    func enter(_ code: String, in visitor: PageBrowser? = nil) async throws -> Exchange.Response {
        let visitor = visitor ?? browser
        if visitor.browser.cookies["latchd_session"] == nil { _ = try await visitor.signIn() }
        return try await visitor.submit(Self.devicePage, on: Self.devicePage, [("user_code", code)])
    }

    /// Enters a code and decides on the page that follows.
    func decide(onDevice code: String, _ decision: String = "allow") async throws -> Exchange.Response {
        let page = try await enter(code)
        let form = try PageBrowser.form(Self.devicePage, in: page.text).orThrow
        return try await browser.post(Self.devicePage, PageBrowser.hiddenFields(of: form) + [("decision", decision)])
    }

    /// Signs Ada in on a device, and returns its tokens.
    func deviceTokens(_ changes: [(String, String?)] = []) async throws -> OAuthTokens {
        let codes = try await codes(changes)
        _ = try await decide(onDevice: codes.userCode)
        return try OAuthTokens(try await poll(codes, changes.filter { $0.0.hasPrefix("client_") }))
    }
}
