import Crypto
import Foundation
import HTTPMessages
import OpenIDConnect
import TestSupport

/// A gateway, a backend that knows nothing of sign-in, and a proxy before both.
struct ProxyFixture {
    static let configuration = """
        public_url: https://id.example.org
        trusted_proxies: [127.0.0.1]
        pages: {enabled: true}
        verify: {enabled: true}
        oauth: {enabled: true, dpop: {nonce: required}}
        dialects: {onyx: {registration: true}, relate-mail: {enabled: true, prefix: /rm}}
        access:
          other: {hosts: "app.example.org:8443", allow: public}
          public: {hosts: public.example.org, allow: public}
          open: {hosts: app.example.org, paths: [/health, /share/*], allow: public}
          admin: {hosts: app.example.org, paths: /admin/*, groups: admins}
          dav: {hosts: app.example.org, paths: /dav/*, basic_keys: true}
          app: {hosts: app.example.org}

        """

    let base: SystemFixture
    let gateway: RunningGateway
    /// Prints a line for each request that it gets, `request METHOD PATH`, and one for each tunnel.
    let backend: RunningProgram
    private let proxy: RunningProgram
    private let kind: ProxyKind
    private let places: ProxyKind.Places

    /// Starts all three, and signs a person in, whose token is ``token``.
    ///
    /// With `http2`, clients talk HTTP/2 to the proxy without asking for it first.
    static func start(_ kind: ProxyKind, http2: Bool = false) async throws -> ProxyFixture {
        let folder = try TemporaryDirectory()
        try folder.write(configuration, to: "latchd.yaml")
        let base = try SystemFixture([
            "LATCHD_CONFIG": folder.file("latchd.yaml"), "LATCHD_AUDIT_LOG": folder.file("audit"),
        ])
        let gateway = try await base.startGatewayWithPerson(socket: folder.file("latchd.sock"))
        let backend = try RunningProgram(
            "/usr/bin/env", ["python3", Products.packageFolder + "/Tests/Programs/EchoBackend/echo_backend.py"],
            environment: ["PATH": path, "PYTHONDONTWRITEBYTECODE": "1"])
        let line = try await backend.line(containing: "backend on ")
        guard let port = line.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw ChildProcess.Failure("No port in '\(line)'.")
        }
        let places = ProxyKind.Places(
            gateway: gateway.port, backend: port, socket: folder.file("proxy.sock"), isHTTP2: http2, folder: folder)
        let proxy = try RunningProgram(
            "/usr/bin/env", ["-C", folder.path] + (try kind.command(places)),
            environment: [
                "PATH": path, "HOME": folder.path, "XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
                "LATCHD_VERIFY": "http://127.0.0.1:\(gateway.port)/auth/verify",
            ])
        let all = ProxyFixture(
            base: base, gateway: gateway, backend: backend, proxy: proxy, kind: kind, places: places)
        try await untilListening(kind, places, proxy)
        return all
    }

    /// Runs `body` with a fixture, and ends everything after it.
    static func with(
        _ kind: ProxyKind, http2: Bool = false, _ body: (ProxyFixture) async throws -> Void
    ) async throws {
        let fixture = try await start(kind, http2: http2)
        try await attempt {
            try await body(fixture)
        } finally: {
            await fixture.end()
        }
    }

    /// What a browser sends when a person opens a page.
    static let navigation = ["Accept: text/html", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"

    /// The proxies have no common word for having begun: their socket says it.
    static func untilListening(_ kind: ProxyKind, _ places: ProxyKind.Places, _ proxy: RunningProgram) async throws {
        for _ in 1...(SuccessTimeout.seconds * 50) {
            if (try? kind.connect(places)) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ChildProcess.Failure("The proxy does not listen: \(proxy.output)")
    }

    /// Ends all three.
    func end() async {
        for program in [proxy, backend, gateway.program] {
            program.send(SIGTERM)
            await program.waitForExit()
        }
    }

    /// Registers a person with an unproved address.
    func register(_ email: String, _ password: String) async throws {
        let body = #"{"email":"\#(email)","password":"\#(password)"}"#
        let response = try await Self.exchange(
            RawSocket(port: gateway.port),
            "POST /api/auth/register HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        guard response.status == 201 else { throw ChildProcess.Failure("Not registered: \(response.text)") }
    }

    /// Creates a key of the person.
    func key(_ token: String) async throws -> String {
        let body = #"{"name":"calendar"}"#
        let response = try await Self.exchange(
            RawSocket(port: gateway.port),
            "POST /rm/api/smtp-credentials HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        )
        guard let key = try JSONValue(parsing: response.body)["apiKey"]?.string else {
            throw ChildProcess.Failure("No key: \(response.text)")
        }
        return key
    }

    /// Signs a person in like an app.
    func token(_ email: String = SystemFixture.email, _ password: String = SystemFixture.password) async throws
        -> String
    {
        let form = FormURLEncoded.encode([("username", email), ("password", password)])
        let response = try await Self.exchange(
            RawSocket(port: gateway.port),
            "POST /api/auth/mobile/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: \(FormURLEncoded.mediaType)\r\n"
                + "Content-Length: \(form.utf8.count)\r\nConnection: close\r\n\r\n\(form)")
        guard let token = try JSONValue(parsing: response.body)["access_token"]?.string else {
            throw ChildProcess.Failure("No token: \(response.text)")
        }
        return token
    }

    /// Signs the person in with a proof of possession, which binds the token to a key. The first proof has no nonce.
    func boundToken(_ key: DPoPKey) async throws -> (token: Secret, nonce: String) {
        let form = FormURLEncoded.encode([("username", SystemFixture.email), ("password", SystemFixture.password)])
        func send(_ nonce: String?) async throws -> RawResponse {
            let proof = try key.proof(
                method: "POST", address: "https://id.example.org/api/auth/mobile/login", nonce: nonce, at: Date())
            return try await Self.exchange(
                RawSocket(port: gateway.port),
                "POST /api/auth/mobile/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: \(FormURLEncoded.mediaType)\r\n"
                    + "DPoP: \(proof)\r\nContent-Length: \(form.utf8.count)\r\nConnection: close\r\n\r\n\(form)")
        }
        guard let nonce = try await send(nil)["dpop-nonce"], case let response = try await send(nonce),
            let token = try JSONValue(parsing: response.body)["access_token"]?.string
        else { throw ChildProcess.Failure("No bound token.") }
        return (Secret(token), nonce)
    }

    /// Ends the session of a token, at the gateway itself; the status of the answer.
    func signOut(_ token: String) async throws -> Int {
        try await Self.exchange(
            RawSocket(port: gateway.port),
            "POST /api/auth/mobile/logout HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n"
        ).status
    }

    /// One request over a connection of its own to the proxy. With `source`, the client has that address.
    func ask(
        _ path: String, method: String = "GET", host: String = "app.example.org", from source: String? = nil,
        port: Int = ProxyKind.Places.port, _ fields: [String] = [], body: String = ""
    ) async throws -> RawResponse {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
        let socket =
            try source.map { try RawSocket(host: places.host, port: port, from: $0) } ?? kind.connect(places)
        return try await Self.exchange(socket, lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Sends a request as it is on a connection of its own, and returns the first response. Nil when the proxy ends the connection
    /// without one, or waits for more for two seconds.
    func first(_ text: String) async throws -> RawResponse? {
        let socket = try kind.connect(places, deadline: 2)
        return try await withCheckedThrowingContinuation { continuation in
            BackgroundThread.start {
                continuation.resume(
                    with: Result {
                        try socket.write(text)
                        var all: [UInt8] = []
                        while let chunk = try? socket.readSome(), !chunk.isEmpty {
                            all += chunk
                            if let response = RawResponse.all(in: all).first { return response }
                        }
                        return nil
                    })
            }
        }
    }

    /// Sends a request over HTTP/2, and returns what the backend got. Nil when it got nothing.
    func view(_ request: HTTP2Request) async throws -> BackendView? {
        let socket = try kind.connect(places, deadline: 10)
        return try await withCheckedThrowingContinuation { continuation in
            BackgroundThread.start {
                continuation.resume(
                    with: Result {
                        BackendView(body: try request.content(socket))
                    })
            }
        }
    }

    /// Waits until the audit log contains so many failed sign-ins, and returns their addresses.
    func failedSignIns(_ count: Int) async throws -> [String?] {
        var found: [String?] = []
        try await eventually {
            let lines = try String(contentsOfFile: places.folder.file("audit"), encoding: .utf8).split(separator: "\n")
            let failures = lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) }.filter {
                $0["event"]?.string == "sign-in-failed"
            }
            found = failures.map { $0["address"]?.string }
            return found.count == count
        }
        return found
    }

    /// Repeats a request until it is refused, as it is once a cached answer is too old.
    func untilRefused(_ path: String, _ fields: [String]) async throws {
        for _ in 1...1_000 where try await ask(path, fields).status == 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Repeats a request until nginx answers it without asking the gateway.
    func untilCached(
        _ path: String, method: String = "GET", from source: String? = nil, _ fields: [String]
    ) async throws -> RawResponse {
        for _ in 1...1_000 {
            let response = try await ask(
                path, method: method, from: source, fields + (method == "GET" ? [] : ["Content-Length: 0"]))
            if response["x-cache"] == "HIT" { return response }
        }
        throw ChildProcess.Failure("nginx caches no answer for \(path).")
    }

    /// Sends a request that closes the connection, and returns the response.
    static func exchange(_ socket: RawSocket, _ request: String) async throws -> RawResponse {
        let bytes = try await bytes(socket, request)
        guard let response = RawResponse.all(in: bytes).first(where: { $0.status >= 200 }) else {
            throw ChildProcess.Failure("No answer in '\(String(decoding: bytes, as: UTF8.self))'.")
        }
        return response
    }

    /// Sends a request that closes the connection, and returns everything that the other end sends.
    static func bytes(_ socket: RawSocket, _ request: String) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            BackgroundThread.start {
                continuation.resume(
                    with: Result {
                        try socket.write(request)
                        var all: [UInt8] = []
                        while true {
                            let chunk = try socket.readSome()
                            if chunk.isEmpty { return all }
                            all += chunk
                        }
                    })
            }
        }
    }
}

/// What the backend got, when the request came through to it.
struct BackendView {
    let method: String
    let path: String
    let fields: [String]
    /// The lines of the trailer, which no backend may take for fields.
    let trailers: [String]

    init?(_ response: RawResponse) {
        guard response.status == 200 else { return nil }
        self.init(body: response.body)
    }

    init?(body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body),
            let method = json["method"]?.string, let path = json["path"]?.string,
            let fields = json["fields"]?.array?.compactMap(\.string)
        else { return nil }
        self.method = method
        self.path = path
        self.fields = fields
        trailers = json["trailers"]?.array?.compactMap(\.string) ?? []
    }

    /// Every value of a field, whatever a server might take for its name; an empty one says nothing.
    func values(like name: String) -> [String] {
        fields.compactMap { line in
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let found = halves[0].lowercased().replacing("_", with: "-")
            let value = halves[1].trimmingCharacters(in: .whitespaces)
            return found == name && !value.isEmpty ? value : nil
        }
    }
}
