import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import Synchronization
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

/// A gateway with a real database file, served on a free port of 127.0.0.1.
struct GatewayFixture: Sendable {
    static let password = "correct horse 7"
    static let email = "ada@example.org"

    let clock: TestClock
    let lines: Lines
    let gateway: Gateway
    let server: HTTPServer
    let http: Exchange
    let folder: TemporaryDirectory

    var databasePath: String { folder.path + "/latchd.db" }

    /// Runs `body` with a gateway and closes everything after it.
    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in },
        issuer: (@Sendable (GatewayStores) -> any SessionIssuer)? = nil, clock: TestClock = TestClock(),
        codes: (any CodeStore)? = nil,
        server changeServer: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        var settings = try await self.settings(in: folder)
        change(&settings)
        let lines = Lines()
        let stores = try await GatewayStores.open(settings, logWriter: lines.writer, now: { clock.now })
        let gateway = try Gateway(stores, issuer: issuer?(stores), codes: codes)
        var configuration = HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 2)
        changeServer(&configuration)
        let server = try await HTTPServer.start(
            configuration, router: gateway.router, onAccess: { gateway.logAccess($0) },
            onLog: { gateway.logServerEvent($0) })
        let fixture = GatewayFixture(
            clock: clock, lines: lines, gateway: gateway, server: server, http: Exchange(port: server.port),
            folder: folder)
        try await attempt {
            try await body(fixture)
        } finally: {
            await fixture.close()
        }
    }

    /// Settings with the cheapest hashing there is.
    static func settings(in folder: TemporaryDirectory) async throws -> GatewaySettings {
        var settings = GatewaySettings(databasePath: nil)
        settings.database = try await TestDatabase.location(in: folder)
        settings.bridge.keyFile = folder.file("bridge.key")
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        settings.requestRates.signIns = .perMinute(1_000_000)
        settings.logLevel = .debug
        settings.logFormat = .json
        settings.auditPath = folder.path + "/audit.log"
        return settings
    }

    /// Another process's view of the same database.
    func otherProcess() async throws -> GatewayStores {
        var settings = gateway.stores.settings
        settings.auditPath = nil
        return try await GatewayStores.open(settings, logWriter: LogWriter { _ in }, now: { clock.now })
    }

    func close() async {
        await server.stop(drain: .seconds(5))
        await gateway.close()
    }
}

extension GatewayFixture {
    @discardableResult
    func addPerson(_ email: String = GatewayFixture.email, password: String = GatewayFixture.password) async throws
        -> Person
    {
        try await gateway.stores.people.add(email: email, name: "Ada", password: Secret(password))
    }

    func login(
        _ email: String = GatewayFixture.email, password: String = GatewayFixture.password,
        headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await http.send(
            "POST", "/api/auth/mobile/login",
            headers: [("Content-Type", FormURLEncoded.mediaType)] + headers,
            body: FormURLEncoded.encode([("username", email), ("password", password)]))
    }

    /// The token of a new session.
    func token() async throws -> String {
        guard let token = try await login().token else { throw Exchange.Broken() }
        return token
    }

    func me(_ token: String?) async throws -> Exchange.Response {
        try await http.send("GET", "/api/me", headers: Self.bearer(token))
    }

    func refresh(_ token: String?) async throws -> Exchange.Response {
        try await http.send("POST", "/api/auth/mobile/refresh", headers: Self.bearer(token), body: "")
    }

    func logout(_ token: String?) async throws -> Exchange.Response {
        try await http.send("POST", "/api/auth/mobile/logout", headers: Self.bearer(token), body: "")
    }

    static func bearer(_ token: String?) -> [(String, String)] {
        token.map { [("Authorization", "Bearer \($0)")] } ?? []
    }
}

/// The lines of a log, for looking at.
final class Lines: Sendable {
    let writer: LogWriter

    init() {
        let taken = LogBuffer()
        self.store = taken
        writer = LogWriter { bytes in taken.bytes.withLock { $0 += bytes } }
    }

    private let store: LogBuffer

    private final class LogBuffer: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    /// Everything written so far.
    var text: String {
        writer.flush()
        return store.bytes.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// The audit events so far, as JSON.
    var audit: [JSONValue] {
        text.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
            .filter { $0["message"]?.string == "Audit." }
    }
}

extension HTTPServer {
    /// The port that the system chose.
    fileprivate var port: UInt16 { addresses.first?.port ?? 0 }
}

extension GatewayFixture {
    /// Another gateway on the same database, whose clock is so many seconds ahead.
    func otherGateway(
        ahead seconds: Double = 0, log: LogWriter = LogWriter { _ in },
        _ change: (inout GatewaySettings) -> Void = { _ in }
    ) async throws -> Gateway {
        var settings = gateway.stores.settings
        settings.auditPath = nil
        change(&settings)
        let clock = clock
        return try await Gateway.open(settings, logWriter: log, now: { clock.now.addingTimeInterval(seconds) })
    }
}
