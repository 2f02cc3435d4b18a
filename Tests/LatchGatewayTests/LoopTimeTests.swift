import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPServer
@testable import LatchGateway

/// How much time the worst requests take on the event loops.
///
/// Invariant: no input of any size or shape holds an event loop for more than 50 ms. The tests measure the processor time of
/// the loops' threads, so that other work on the machine does not matter; a build without optimization may take ten times as
/// long.
@Suite("Event loop time", .timeLimit(.minutes(30)))
struct LoopTimeTests {
    #if DEBUG
        private static let bound = Duration.milliseconds(500)
    #else
        private static let bound = Duration.milliseconds(50)
    #endif

    @Test("no body, field, address or token blocks an event loop, on any route of any dialect, page or service")
    func everyRoute() async throws {
        // No timeout may decide here: on a busy machine, a client can be late as well.
        try await EveryRoute.with(server: {
            ($0.headerTimeout, $0.bodyTimeout, $0.idleTimeout) = (.seconds(600), .seconds(600), .seconds(600))
        }) { fixture in
            let limits = fixture.gateway.router.bodyLimits
            #expect(limits.count > 100)
            let signed = try await fixture.gateway.stores.clients.client("signed")
            #expect(signed?.keys?.set.keys.count == ClientKeys.maximumCount)
            var worst = (cost: Duration.zero, what: "")
            var statuses: [Int: Int] = [:]
            for (route, bytes, _) in limits {
                let token = try await fixture.token()
                // All requests for a route are measured together. Only where their sum is too much, the halves are measured,
                // down to the single request.
                var parts = [HostileRequest.all(for: route, upTo: min(bytes, 1 << 20), token: token, fixture)[...]]
                while let part = parts.popLast() {
                    let before = await Self.processorTime(of: fixture.server)
                    let answers = try await Self.send(part.map(\.bytes), fixture.port)
                    let cost = await Self.processorTime(of: fixture.server) - before
                    for (request, response) in zip(part, answers) {
                        if let status = response.first { statuses[status, default: 0] += 1 }
                        // libmicrohttpd closes the connection where its buffer has no room for the list of cookies.
                        if response.isEmpty, request.name.contains("cookies") { continue }
                        #expect(response.count == 1, "\(request.name): \(response)")
                    }
                    if part.count == 1, let request = part.first {
                        #expect(cost < Self.bound, "\(request.name) took \(cost), answered \(answers)")
                        if cost > worst.cost { worst = (cost, request.name) }
                    } else if cost >= Self.bound {
                        let half = part.startIndex + part.count / 2
                        parts += [part[..<half], part[half...]]
                    }
                }
            }
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }
            print("Answers: \(counts.joined(separator: ", "))")
            print("The slowest request that was measured alone took \(worst.cost): \(worst.what)")
        }
    }

    @Test("the measurement detects a handler that blocks its event loop")
    func control() async throws {
        var router = Router()
        router.on(.get, "/busy") { _ in
            let start = ProcessorTime.now
            while ProcessorTime.now - start < Self.bound {}
            return .text("done")
        }
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 2), router: router)
        let before = await Self.processorTime(of: server)
        let port = try #require(server.addresses.first?.port)
        let request = Array("GET /busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
        #expect(try await Self.send([request], Int(port)) == [[200]])
        #expect(await Self.processorTime(of: server) - before >= Self.bound)
        await server.stop(drain: .zero)
    }

    /// The statuses of the answers to each request.
    private static func send(_ requests: [[UInt8]], _ port: Int) async throws -> [[Int]] {
        try await BackgroundThread.run { Result { try RawExchanges.run(requests, port: port, width: 4) } }.get()
            .map { RawResponse.all(in: $0).map(\.status) }
    }

    private static func processorTime(of server: HTTPServer) async -> Duration {
        var sum = Duration.zero
        for loop in server.loops {
            sum += await withCheckedContinuation { continuation in
                loop.perform { _ in continuation.resume(returning: ProcessorTime.now) }
            }
        }
        return sum
    }
}

/// A request that is as costly to parse as its size allows.
struct HostileRequest {
    let name: String
    let bytes: [UInt8]

    static let largestField = 7_000
    /// Each comparison of a text with a long run of these must sort it, because they are in the wrong order.
    static let marks = "\u{301}\u{316}"

    /// Every kind for one route, each without credentials and with those of a signed-in person.
    static func all(
        for route: Router.Route, upTo size: Int, token: String, _ fixture: GatewayFixture
    ) -> [HostileRequest] {
        let cookie = fixture.gateway.services.cookie?.name ?? "latchd_session"
        let known =
            "Authorization: Bearer \(token)\r\nCookie: \(cookie)=\(token)\r\nSec-Fetch-Site: same-origin\r\n"
        // Other routes are not served on a protected host.
        let isProxied = route.pattern == "/auth/verify" || route.pattern.contains("oauth-protected-resource")
        let forwarded =
            (isProxied ? "X-Forwarded-Host: app.example.org\r\n" : "")
            + "X-Forwarded-Proto: https\r\nX-Forwarded-Method: GET\r\n"
        let path = path(of: route)
        func request(_ name: String, _ target: String, _ fields: String, _ body: [UInt8] = []) -> HostileRequest {
            let length = route.method == .get && body.isEmpty ? "" : "Content-Length: \(body.count)\r\n"
            let head =
                "\(route.method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(fields)\(length)\r\n"
            return HostileRequest(name: "\(route.method) \(route.pattern): \(name)", bytes: Array(head.utf8) + body)
        }
        var all: [HostileRequest] = []
        for (name, fields) in fields { all.append(request(name, path, forwarded + "X-Forwarded-Uri: /\r\n" + fields)) }
        for (name, proof) in proofs(path, route.method, isProxied: route.pattern == "/auth/verify", fixture) {
            let fields = forwarded + "X-Forwarded-Uri: /\r\nAuthorization: DPoP \(token)\r\nDPoP: \(proof)\r\n"
            all.append(request(name, path, fields))
        }
        for (name, uri) in uris {
            all.append(request("forwarded \(name)", path, forwarded + "X-Forwarded-Uri: /\(uri)\r\n"))
            all.append(request("query of \(name)", "\(path)?\(uri)", known))
        }
        if route.pattern.hasSuffix("{*}") {
            for (name, uri) in uris where !uri.contains("=") { all.append(request("path of \(name)", path + uri, "")) }
        }
        let isOAuth = route.pattern.hasPrefix("/oauth2/")
        if isOAuth {
            for (name, query) in queries { all.append(request("query of \(name)", "\(path)?\(query)", known)) }
        }
        guard route.method != .get else { return all }
        if isOAuth {
            for (name, body) in registrations {
                all.append(request("metadata with \(name)", path, "Content-Type: application/json\r\n", body))
            }
        }
        for (name, json) in size > DialectRouter.largestUnknownBody ? json(size) : usualJSON {
            for (credentialOwner, credentials) in [("nobody's", ""), ("somebody's", known)] {
                // A large body without credentials is not read at all.
                let body = credentialOwner == "nobody's" ? Array(json.prefix(DialectRouter.largestUnknownBody)) : json
                let fields = credentials + "Content-Type: application/json\r\n"
                all.append(request("\(credentialOwner) \(name)", path, fields, body))
            }
        }
        for (name, form) in forms + (isOAuth ? forms(at: fixture.clock.now) : []) {
            for credentials in ["", known] {
                let fields = credentials + "Content-Type: \(FormURLEncoded.mediaType)\r\n"
                all.append(request("form of \(name)", path, fields, form))
            }
        }
        return all
    }

    /// Valid proofs of every type of key, and those with the largest claims and the largest RSA key that is accepted.
    private static func proofs(
        _ path: String, _ method: HTTPMethod, isProxied: Bool, _ fixture: GatewayFixture
    ) -> [(String, String)] {
        let (method, address) =
            isProxied ? ("GET", "https://app.example.org/") : (method.rawValue, "http://127.0.0.1" + path)
        let large: JSONValue = [
            "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 512))),
            "e": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 4))),
        ]
        let changes: [(String, header: [(String, JSONValue?)], claims: [(String, JSONValue?)])] = [
            ("a proof", [], []), ("a proof with a large RSA key", [("alg", "RS256"), ("jwk", large)], []),
            ("a proof with nested claims", [], [("x", nested(depth: 200))]),
            (
                "a proof with an address of escapes", [],
                [
                    ("htu", .string("http://127.0.0.1/" + String(repeating: "%41", count: 600)))
                ]
            ),
        ]
        return makers.flatMap { maker in
            changes.compactMap { name, header, claims in
                let proof = try? maker.proof(method, address, at: fixture.clock.now, header: header, claims: claims)
                return proof.map { ("\(name) of \(maker.key.algorithm.rawValue)", $0) }
            }
        }
    }

    private static let makers = [SignatureAlgorithm.es256, .edDSA, .rs256, .ps256].compactMap { try? ProofMaker($0) }

    private static func nested(depth: Int) -> JSONValue {
        (0..<depth).reduce(0 as JSONValue) { value, _ in .array([value]) }
    }

    /// The route's path with a valid value for each parameter.
    private static func path(of route: Router.Route) -> String {
        route.pattern.replacing("{*}", with: "a").replacing("{}", with: "3f2504e0-4f89-41d3-9a0c-0305e82c3301")
    }

    /// JSON bodies of `size` bytes; some are truncated and so not valid JSON.
    private static func json(_ size: Int) -> [(String, [UInt8])] {
        let nested = [8, 30, 31, 100, 250, 500].map { depth in
            let start = #"{"email":"# + String(repeating: "[", count: depth) + "0"
            let end = String(repeating: "]", count: depth) + #","password":"x"}"#
            return ("nested arrays, \(depth) deep", fill(size, start, ",0", end))
        }
        let objects = [30, 250].map { depth in
            let start = String(repeating: #"{"a":"#, count: depth) + "[0"
            return (
                "nested objects, \(depth) deep", fill(size, start, ",0", "]" + String(repeating: "}", count: depth))
            )
        }
        let id = #""3f2504e0-4f89-41d3-9a0c-0305e82c3301""#
        var members = ""
        var number = 0
        while members.utf8.count < size - 40 {
            members += "\"m\(number)\":0,"
            number += 1
        }
        return nested + objects + [
            ("brackets", fill(size, "", "[", "")), ("braces", fill(size, "", #"{"":"#, "")),
            ("numbers", fill(size, "[0", ",0", "]")), ("fractions", fill(size, "[0", ",-1.5e-300", "]")),
            ("a long number", fill(size, #"{"page":1"#, "9", "}")),
            ("a long fraction", fill(size, #"{"page":0.1"#, "9", "}")),
            ("a long exponent", fill(size, #"{"page":1e"#, "9", "}")),
            ("a name of marks", fill(size, #"{"e"#, "\u{301}\u{316}", #"":0}"#)),
            ("members", Array("{\(members)\"z\":0}".utf8)),
            ("one member again and again", fill(size, #"{"email":0"#, #","email":0"#, "}")),
            ("a long text", fill(size, #"{"email":""#, "x", #"","password":"x"}"#)),
            ("a long text of escapes", fill(size, #"{"email":""#, #"\u00e9"#, #"","password":"x"}"#)),
            ("a long text of pairs", fill(size, #"{"password":""#, #"\ud83d\ude00"#, #"","email":"a@b.c"}"#)),
            ("a text of marks", fill(size, #"{"name":"e"#, "\u{301}\u{316}", #"","email":"a@b.c","password":"x"}"#)),
            ("a long address", fill(size, #"{"email":"a@b"#, ".b", #"","password":"x"}"#)),
            ("ids", fill(size, #"{"assetIds":["# + id, "," + id, "]}")),
            ("ids that are none", fill(size, #"{"assetIds":[0"#, ",0", "]}")),
            ("a long code", fill(size, #"{"code":"x"#, "x", #"","state":"x","code_verifier":"x","redirect_uri":"x"}"#)),
            ("a long URL", fill(size, #"{"redirectUri":"https://a/"#, "a/", #"","url":"x"}"#)),
            ("white space", fill(size, "{", " ", "}")),
        ]
    }

    private static let usualJSON = json(DialectRouter.largestUnknownBody)

    private static let forms: [(String, [UInt8])] = {
        let size = DialectRouter.largestUnknownBody
        let texts: [(String, [UInt8])] =
            ["username", "token", "logout_token", "state", "code", "return", "email", "pin"].map { name in
                (name, fill(size, "\(name)=x", "&\(name)=x", ""))
            } + [
                ("nothing", fill(size, "", "&", "")), ("signs", fill(size, "", "=", "")),
                ("escapes", fill(size, "username=a&password=", "%41", "")),
                ("marks", fill(size, "username=e", "%CC%81%CC%96", "&password=x")),
                ("raw marks", fill(size, "username=e", "\u{301}\u{316}", "&password=x")),
                ("names of marks", fill(size, "e", "%CC%81%CC%96", "=x")),
                ("a long value", fill(size, "token=", "x", "")), ("spaces", fill(size, "return=", "+", "")),
                ("a long state", fill(size, "code=x&state=", "A", "")),
                ("a long way back", fill(size, "return=", "/a", "")), ("different names", Array(differentNames.utf8)),
                ("a long user code", fill(size, "user_code=B", "-", "&decision=allow")),
                ("a device's scopes", fill(size, "client_id=app&scope=openid", "+openid", "")),
                ("a device's resources", fill(size, "client_id=app", "&resource=https://app.example.org/", "")),
                (
                    "a long device code",
                    fill(
                        size,
                        "client_id=app&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=",
                        "x", "")
                ),
            ]
        let signed = signedTexts(size - 40).map { ("a token of \($0.0)", Array("logout_token=\($0.1)&x".utf8)) }
        let tokens = signedTexts(size - 40).map { ("another token of \($0.0)", Array("token=\($0.1)".utf8)) }
        return texts + signed + tokens
    }()

    /// Texts in the form of a signed token, with costly JSON in the header or in the claims.
    static func signedTexts(_ size: Int) -> [(String, String)] {
        let kinds = ["nested arrays, 31 deep", "nested arrays, 250 deep", "numbers", "members"]
        let costly = json(size * 3 / 4 - 200).filter { kinds.contains($0.0) }.map { ($0.0, Base64URL.encode($0.1)) }
        let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"x"}"#.utf8))
        let claims = Base64URL.encode(Array(#"{"iss":"x"}"#.utf8))
        return costly.flatMap { name, text in
            [("\(name) as claims", "\(header).\(text).AAAA"), ("\(name) as a header", "\(text).\(claims).AAAA")]
        }
    }

    private static let fields: [(String, String)] = {
        let size = largestField
        func text(_ start: String, _ more: String, _ end: String = "") -> String {
            String(decoding: fill(size, start, more, end), as: UTF8.self) + "\r\n"
        }
        return signedTexts(size - 40).map { ("a bearer of \($0.0)", "Authorization: Bearer \($0.1)\r\n") } + [
            ("a proof of nonsense", text("DPoP: ", "a.")), ("a proof of marks", text("DPoP: e", marks)),
            ("many proofs", String(repeating: "DPoP: a.b.c\r\n", count: 85)),
            ("a token for a proof", text("Authorization: DPoP ", "x")),
            ("many dots", text("Authorization: Bearer a", ".a")),
            ("a long bearer", text("Authorization: Bearer ", "x")),
            ("a long key", text("Authorization: ApiKey ", "x")), ("basic", text("Authorization: Basic ", "QUFB")),
            ("a long scheme", text("Authorization: ", "x")), ("spaces", text("Authorization: Bearer", " ", "x")),
            ("cookies", text("Cookie: a=b", "; a=b")), ("empty cookies", text("Cookie: ", ";")),
            ("session cookies", text("Cookie: latchd_session=", "; latchd_session=x")),
            ("form cookies", text("Cookie: latchd_form=x", "; latchd_form=x")),
            ("a long cookie", text("Cookie: latchd_session=", "x")),
            ("cookies of sign-ins", text("Cookie: latchd_signin_a=b", "; latchd_signin_a=b")),
            ("forwarded addresses", text("X-Forwarded-For: 127.0.0.1", ",127.0.0.1")),
            ("forwarded nonsense", text("X-Forwarded-For: ", ",")),
            ("types", text("Accept: text/html", ",*/*;q=0.1")), ("languages", text("Accept-Language: de", ",de;q=0.1")),
            ("a long type", text("Content-Type: application/json", "; a=b")),
            ("a type of spaces", text("Content-Type: a", " ", "; b")),
            ("a program's name", text("User-Agent: Mozilla/5.0", " (X11; Linux) Firefox/1.0")),
            ("a program of marks", text("deviceModel: e", marks)), ("an agent of marks", text("User-Agent: e", marks)),
            ("a bearer of marks", text("Authorization: Bearer e", marks)),
            ("a cookie of marks", text("Cookie: a=e", marks)),
            ("a session of marks", text("Cookie: latchd_session=e", marks)),
            ("a type of marks", text("Content-Type: e", marks)),
            ("a user token of marks", text("x-immich-user-token: e", marks)),
            ("a key of marks", text("x-api-key: e", marks)),
            ("an origin of marks", text("Origin: e", marks)), ("a site of marks", text("Sec-Fetch-Site: e", marks)),
            ("addresses of marks", text("X-Forwarded-For: e", marks)), ("types of marks", text("Accept: e", marks)),
            ("a forwarded host of marks", text("X-Forwarded-Host: e", marks)),
            ("ranges", text("Range: bytes=0-1", ",0-1")), ("entity tags", text("If-None-Match: \"a\"", ",\"a\"")),
            ("a long origin", text("Origin: https://", "a.")), ("a long host", text("X-Forwarded-Host: ", "a.")),
            ("user token", text("x-immich-user-token: ", "x")), ("key", text("x-api-key: ", "x")),
            (
                "many fields",
                (0..<85).map { "X\($0): \(String(repeating: "y", count: 60))\r\n" }.joined()
            ),
            ("one field again and again", String(repeating: "X-Forwarded-For: 127.0.0.1\r\n", count: 85)),
        ]
    }()

    private static let uris: [(String, String)] = {
        let size = largestField
        func text(_ start: String, _ more: String) -> String {
            String(decoding: fill(size, start, more, ""), as: UTF8.self)
        }
        return [
            ("components", text("a", "/a")), ("escapes", text("", "%41")), ("marks", text("e", "%CC%81%CC%96")),
            ("plain letters", text("", "a")), ("escaped slashes", text("a", "%2F")), ("fields", text("a=b", "&a=b")),
            ("states", text("state=a", "&state=a")), ("a long state", text("code=x&state=", "A")),
            ("a long way back", text("return=", "/a")),
            ("a long redirect", text("redirect_uri=http://127.0.0.1/", "a")),
            ("nothing", text("a=b", "&")), ("plus signs", text("a=", "+")),
            ("different names", "a=b&" + differentNames),
        ]
    }()

    /// Nearly as many fields as a form may have, each with a name of its own.
    private static let differentNames = (0..<980).map { "\($0)=" }.joined(separator: "&")

    static func fill(_ size: Int, _ start: String, _ more: String, _ end: String) -> [UInt8] {
        let (start, end) = (Array(start.utf8), Array(end.utf8))
        var middle = Array(more.utf8)
        let length = max(0, size - start.count - end.count) / middle.count * middle.count
        while middle.count < length { middle += middle }
        return start + middle.prefix(length) + end
    }
}
