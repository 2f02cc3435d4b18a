import Crypto
import FoundationEssentials
import HTTPMessages
import OpenIDConnect

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import HTTPServer
@testable import LatchGateway

/// A gateway with every route, and with limits that no test reaches.
enum EveryRoute {
    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in },
        server: (inout HTTPServer.Configuration) -> Void = { _ in }, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        func set(_ settings: inout GatewaySettings) {
            settings.serveEverything()
            change(&settings)
        }
        try await BridgeFixture.with(["google"], set, server: server) { bridge in
            try await bridge.base.addPerson()
            try await body(bridge.base)
        }
    }
}

extension GatewaySettings {
    static let clientSecret = "the backend's own secret"

    /// Turns on every dialect, those other than Onyx at a prefix of their own.
    mutating func serveDialects() {
        immich.isEnabled = true
        immich.prefix = "/im"
        timeTracker.isEnabled = true
        timeTracker.prefix = "/tt"
        relateMail.isEnabled = true
        relateMail.prefix = "/rm"
    }

    /// Turns on every dialect at a prefix of its own, the pages, the authorization server, `/auth/verify` for this
    /// machine, and introspection.
    mutating func serveEverything() {
        serveDialects()
        onyx.allowsRegistration = true
        timeTracker.startRate = .perMinute(1_000_000)
        relateMail.clientID = "mail"
        verify.isEnabled = true
        verify.rules = AccessRules([
            AccessRule(
                name: "apps", hosts: [AccessHostPattern("app.example.org")].compactMap { $0 }, paths: [], methods: [],
                admission: .signedIn)
        ])
        pages.isEnabled = true
        publicURL = "http://127.0.0.1"
        authorizationServer.isEnabled = true
        authorizationServer.registration.isEnabled = true
        authorizationServer.clients = [
            RegisteredClient(
                id: "app", name: "App", secretHash: nil, redirects: ["com.example.app:/callback"], allowsDevice: true),
            RegisteredClient(
                id: "signed", name: "Signed", secretHash: nil, redirects: [],
                keys: ClientKeys(String(decoding: HostileRequest.largestKeys.encoded(), as: UTF8.self))),
        ]
        authorizationServer.servesDialectsToDevices = true
        trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        introspectionClients = [try? IntrospectionClient(id: "backend", secret: Secret(Self.clientSecret))]
            .compactMap { $0 }
        hashing.queue = 1_000
        addressLimit = AttemptLimit(attempts: 1_000_000, window: .seconds(60))
        accountLimit = AttemptLimit(attempts: 1_000_000, window: .seconds(60))
        for rate in [\RequestRates.address, \.client, \.credentials, \.general, \.writes, \.signIns] {
            requestRates[keyPath: rate] = .perMinute(100_000_000)
        }
    }
}
