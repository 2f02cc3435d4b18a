import HTTPMessages
import TestSupport

@testable import LatchGateway

/// A kind of request that the gateway takes, to be broken by tests.
enum BrokenKind: CaseIterable {
    /// The form with a password.
    case signIn
    /// A read with a token.
    case me
    /// A POST without a body.
    case refresh
    /// A POST that ends its session.
    case signOut
    /// A POST of JSON.
    case register
    /// A method that no route has.
    case delete
    /// Immich's JSON with a password.
    case immichSignIn
    /// A read with a token in Immich's own field.
    case immichMe
    /// A change by JSON with a token.
    case immichChange
    /// A read with a token, of the Time Tracker dialect.
    case timeTrackerMe
    /// A form with an unknown code.
    case timeTrackerToken
    /// A read with a token, of the Relate Mail dialect.
    case relateMailProfile
    /// A forward-auth request of a proxy.
    case verify
    /// A page with a browser's cookie.
    case page

    private static let newEmail = "new@example.org"

    /// A good request of this kind that ends its connection.
    func request(_ token: String) -> [UInt8] {
        let bearer = "Authorization: Bearer \(token)\r\n"
        let text =
            switch self {
            case .signIn:
                head("POST", "/api/auth/mobile/login", Self.body(FormURLEncoded.mediaType, form)) + form
            case .me: head("GET", "/api/me", bearer)
            case .refresh: head("POST", "/api/auth/mobile/refresh", bearer + "Content-Length: 0\r\n")
            case .signOut: head("POST", "/api/auth/mobile/logout", bearer)
            case .register: head("POST", "/api/auth/register", Self.body("application/json", json)) + json
            case .delete: head("DELETE", "/api/me", bearer)
            case .immichSignIn:
                head("POST", "/im/auth/login", Self.body("application/json", immichJSON)) + immichJSON
            case .immichMe: head("GET", "/im/users/me", "x-immich-user-token: \(token)\r\n")
            case .immichChange:
                head("PUT", "/im/users/me", bearer + Self.body("application/json", #"{"name":"A"}"#)) + #"{"name":"A"}"#
            case .timeTrackerMe: head("GET", "/tt/auth/me", bearer)
            case .timeTrackerToken: head("POST", "/tt/auth/token", Self.body(FormURLEncoded.mediaType, code)) + code
            case .relateMailProfile: head("GET", "/rm/api/profile", bearer)
            case .verify: head("GET", "/auth/verify", Self.held + bearer)
            case .page: head("GET", "/latch/account", "Cookie: \(cookie)=\(token)\r\n")
            }
        return Array(text.utf8)
    }

    /// Whether what a strict reader read may be answered with success.
    func means(_ reading: RawReading, token: String) -> Bool {
        switch self {
        case .signIn:
            isTo(reading, "POST", "/api/auth/mobile/login") && type(reading) == FormURLEncoded.mediaType
                && field(reading, "username")?.lowercased() == GatewayFixture.email
                && field(reading, "password") == GatewayFixture.password
        case .me: isTo(reading, "GET", "/api/me") && bearer(reading) == token
        case .refresh: isTo(reading, "POST", "/api/auth/mobile/refresh") && bearer(reading) == token
        case .signOut: isTo(reading, "POST", "/api/auth/mobile/logout") && bearer(reading) == token
        case .register:
            isTo(reading, "POST", "/api/auth/register") && type(reading)?.hasSuffix("json") == true
                && (try? JSONValue(parsing: reading.body))?["email"]?.string?.contains("@") == true
        case .delete, .timeTrackerToken: false
        case .immichSignIn:
            isTo(reading, "POST", "/im/auth/login") && type(reading)?.hasSuffix("json") == true
                && member(reading, "email")?.lowercased() == GatewayFixture.email
                && member(reading, "password") == GatewayFixture.password
        case .immichMe:
            isTo(reading, "GET", "/im/users/me") && reading.values("x-immich-user-token") == [token]
        case .immichChange:
            isTo(reading, "PUT", "/im/users/me") && bearer(reading) == token
        case .timeTrackerMe: isTo(reading, "GET", "/tt/auth/me") && bearer(reading) == token
        case .relateMailProfile: isTo(reading, "GET", "/rm/api/profile") && bearer(reading) == token
        case .verify: reading.target.split(separator: "?").first == "/auth/verify" && bearer(reading) == token
        case .page:
            isTo(reading, "GET", "/latch/account")
                && reading.values("cookie").contains { $0.contains("\(cookie)=\(token)") }
        }
    }

    private static let held =
        "X-Forwarded-Host: app.example.org\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /a\r\n"

    private var cookie: String { "latchd_session" }

    private var code: String { "code=nobody&state=nothing&redirect_uri=timetracker%3A%2F%2Fauth" }

    private var immichJSON: String { #"{"email":"\#(GatewayFixture.email)","password":"\#(GatewayFixture.password)"}"# }

    private func member(_ reading: RawReading, _ name: String) -> String? {
        (try? JSONValue(parsing: reading.body))?[name]?.string
    }

    private var form: String {
        FormURLEncoded.encode([("username", GatewayFixture.email), ("password", GatewayFixture.password)])
    }

    private var json: String { #"{"email":"\#(Self.newEmail)","password":"\#(GatewayFixture.password)"}"# }

    private func head(_ method: String, _ path: String, _ fields: String) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)Connection: close\r\n\r\n"
    }

    private static func body(_ type: String, _ text: String) -> String {
        "Content-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n"
    }

    private func isTo(_ reading: RawReading, _ method: String, _ path: String) -> Bool {
        reading.method == method && reading.target == path
    }

    private func type(_ reading: RawReading) -> String? {
        let value = reading.values("content-type").first?.prefix { $0 != ";" }
        return value.map { $0.split(separator: " ").joined().lowercased() }
    }

    private func bearer(_ reading: RawReading) -> String? {
        let values = reading.values("authorization")
        let parts = values.first?.split(separator: " ") ?? []
        guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// A form's first field of a name, read by hand.
    private func field(_ reading: RawReading, _ name: String) -> String? {
        for pair in reading.body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, plain(parts[0]) == name { return plain(parts[1]) }
        }
        return nil
    }

    private func plain(_ bytes: ArraySlice<UInt8>) -> String? {
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): plain.append(32)
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
                plain.append(value)
                rest = rest.dropFirst(2)
            default: plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
