import HTTPMessages
import TestSupport

/// One person's program on one connection, which keeps book of what it was told.
///
/// It blocks, and belongs to the thread that it works on.
struct CrashClient {
    static let password = "a-password-without-specials-4711"

    /// What the gateway answered and must not; anything else that is thrown means that the connection broke.
    private struct Violation: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    let email: String
    private(set) var known: KnownTokens
    private var random: SeededRandom
    private let socket: RawSocket

    /// Connects, in a thread of its own, has `work` done and gives what is known then.
    ///
    /// When the gateway is not killed meanwhile, a connection that breaks is a mistake.
    static func run(
        _ email: String, knowing known: KnownTokens, _ random: SeededRandom, port: Int, isKilled: Bool = false,
        _ work: @escaping @Sendable (inout CrashClient) throws -> Void
    ) async -> KnownTokens {
        await BackgroundThread.run {
            var afterwards = known
            do {
                var client = CrashClient(
                    email: email, known: known, random: random, socket: try RawSocket(port: port))
                defer { afterwards = client.known }
                try work(&client)
            } catch let violation as Violation {
                afterwards.violations.append("\(email): \(violation.text)")
            } catch {
                if !isKilled { afterwards.violations.append("\(email): \(error)") }
            }
            return afterwards
        }
    }

    /// Does one thing after the other until the connection breaks.
    mutating func work() throws {
        while true { try workOnce() }
    }

    /// Asks a restarted gateway about everything that is known; of what ended long ago only when `all` is asked for.
    ///
    /// What was unclear is clear afterwards.
    mutating func verify(all: Bool) throws {
        for token in known.live.keys.sorted() { try verifyLive(token) }
        for token in (all ? known.ended : known.endedLately).sorted() { try verifyEnded(token) }
        for token in known.unclear.sorted() { try clear(token) }
        for email in all ? known.registered : known.registeredLately { try verifyRegistered(email) }
        (known.endedLately, known.registeredLately) = ([], [])
    }
}

extension CrashClient {
    mutating func workOnce() throws {
        let token = known.live.keys.sorted().randomElement(using: &random)
        switch (Int.random(in: 0..<100, using: &random), token) {
        case (0..<8, _): try register("guest-\(random.next())@example.org")
        case (8..<30, let token?): try refresh(token)
        case (30..<45, let token?): try check(token)
        case (45..., let token?) where known.live.count > 6 || random.chance(50): try signOut(token)
        default: try signIn()
        }
    }

    mutating func signIn() throws {
        let device = "device-\(random.next())"
        let response = try exchange("POST", "/api/auth/mobile/login", device: device, form: form(of: email))
        let token = try token(in: response, for: "a sign-in")
        known.live[token] = ""
        known.devices[token] = device
    }

    private mutating func refresh(_ token: String) throws {
        let expiry = known.live.removeValue(forKey: token) ?? ""
        known.unclear.insert(token)
        let fresh = try self.token(in: try exchange("POST", "/api/auth/mobile/refresh", token: token), for: "a refresh")
        if fresh != token {
            known.devices[fresh] = known.devices[token]
            known.end(token)
        }
        known.unclear.remove(token)
        known.live[fresh] = expiry
    }

    /// A look changes nothing: when the connection breaks in it, the token is as live as before.
    private mutating func check(_ token: String) throws {
        let response = try exchange("GET", "/api/me", token: token)
        guard response.status == 200 else { throw Violation("a live token was answered \(response.status)") }
        known.live[token] = expiry(in: response.body)
    }

    private mutating func signOut(_ token: String) throws {
        known.live[token] = nil
        known.unclear.insert(token)
        let response = try exchange("POST", "/api/auth/mobile/logout", token: token)
        guard response.status == 204 else { throw Violation("a sign-out was answered \(response.status)") }
        known.end(token)
    }

    mutating func register(_ email: String) throws {
        let response = try exchange(
            "POST", "/api/auth/register", json: #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
        guard response.status == 201 else { throw Violation("a registration was answered \(response.status)") }
        known.registered.append(email)
        known.registeredLately.append(email)
    }
}

extension CrashClient {
    private mutating func verifyLive(_ token: String) throws {
        let response = try exchange("GET", "/api/me", token: token)
        guard response.status == 200 else { throw Violation("a token is lost: \(response.status) \(response.body)") }
        let (before, now) = (known.live[token] ?? "", expiry(in: response.body))
        guard now >= before else { throw Violation("a session that was told to live until \(before) ends at \(now)") }
        known.live[token] = now
    }

    private mutating func verifyEnded(_ token: String) throws {
        let response = try exchange("GET", "/api/me", token: token)
        guard response.status == 403 else {
            throw Violation("an ended token lives: \(response.status) \(response.body)")
        }
    }

    private mutating func clear(_ token: String) throws {
        let response = try exchange("GET", "/api/me", token: token)
        switch response.status {
        case 200:
            known.unclear.remove(token)
            known.live[token] = expiry(in: response.body)
        case 403: known.end(token)
        default: throw Violation("a token is neither live nor ended: \(response.status)")
        }
    }

    private mutating func verifyRegistered(_ email: String) throws {
        let response = try exchange("POST", "/api/auth/mobile/login", form: form(of: email))
        guard response.status == 200 else { throw Violation("a registration is lost: \(response.status)") }
    }

    private func form(of email: String) -> String {
        "username=\(email.replacing("@", with: "%40"))&password=\(Self.password)"
    }

    private func token(in response: (status: Int, body: String), for act: String) throws -> String {
        guard response.status == 200, let json = try? JSONValue(parsing: Array(response.body.utf8)),
            let token = json["access_token"]?.string
        else { throw Violation("\(act) was answered \(response.status)") }
        return token
    }

    private func expiry(in body: String) -> String {
        (try? JSONValue(parsing: Array(body.utf8)))?["token_expires_at"]?.string ?? ""
    }

    private mutating func exchange(
        _ method: String, _ path: String, token: String? = nil, device: String? = nil, form: String? = nil,
        json: String? = nil
    ) throws -> (status: Int, body: String) {
        let body = form ?? json ?? ""
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let device { head += "deviceModel: \(device)\r\n" }
        if form != nil { head += "Content-Type: application/x-www-form-urlencoded\r\n" }
        if json != nil { head += "Content-Type: application/json\r\n" }
        if method == "POST" { head += "Content-Length: \(body.utf8.count)\r\n" }
        try socket.write(head + "\r\n" + body)
        let response = try socket.readResponse()
        known.answers += 1
        let status = response.head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status, response.body)
    }
}
