import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// One person's program, which works through a proxy and remembers what was confirmed.
actor LoadPerson {
    /// What a person knows at the end.
    struct Knowledge: Sendable {
        let email: String
        /// Passwords of which one is valid: one, or also others while a change is not clear.
        let passwords: [String]
        /// A password that was replaced, which was confirmed.
        let replaced: String?
        /// Tokens whose sessions work.
        let live: [String]
    }

    let email: String
    private let client: ProxyClient
    private let record: FailoverRecord
    private var random: SeededRandom
    /// The last one that was accepted.
    private var password: String
    private var passwords: [String]
    private var replaced: String?
    private var live: [String] = []
    /// Tokens that have ended if an unclear change of the password had its effect.
    private var unclear: [String] = []

    init(_ email: String, password: String, _ client: ProxyClient, _ random: SeededRandom) {
        self.email = email
        self.client = client
        self.random = random
        self.password = password
        (record, passwords) = (client.record, [password])
    }

    var knowledge: Knowledge {
        Knowledge(email: email, passwords: passwords, replaced: isClear ? replaced : nil, live: isClear ? live : [])
    }

    private var isClear: Bool { passwords.count == 1 }

    /// Does one thing after the other until the clients shall stop.
    func run() async throws {
        while !record.isStopped {
            try await act()
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...60, using: &random)))
        }
    }

    private func act() async throws {
        guard let token = live.randomElement(using: &random) else { return try await signIn() }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<50: try await readProfile(token)
        case ..<75 where live.count < 5: try await signIn()
        case ..<95: try await signOut(token)
        default: try await changePassword(token)
        }
    }

    private func readProfile(_ token: String) async throws {
        guard let response = try await client.send(.reads, "/api/me", token: token) else { return }
        if response.status != .ok { recordRefusal(token, response.status) }
    }

    /// A session does not work any more. That is right only if an unclear change of the password had its effect.
    private func recordRefusal(_ token: String, _ status: HTTPStatus) {
        if isClear { record.addViolation("a confirmed session of \(email) was answered \(status.rawValue)") }
        live.removeAll { $0 == token }
    }

    private func signIn() async throws {
        // Twice, because an unclear change may have its effect between two tries.
        for password in passwords + (isClear ? [] : passwords) {
            let form = [("username", email), ("password", password)]
            guard let response = try await client.send(.writes, "/api/auth/mobile/login", form: form) else { return }
            guard response.status == .ok else { continue }
            let token = try JSONValue(parsing: response.body)["access_token"]?.string
            live.append(try #require(token))
            self.password = password
            if !isClear, password == passwords.last { resolve(to: password, replaced: nil, isConfirmed: false) }
            return
        }
        record.addViolation("no confirmed password of \(email) is accepted")
    }

    /// The newest password is valid, so every change was made or will have no effect.
    private func resolve(to password: String, replaced: String?, isConfirmed: Bool) {
        (self.password, self.replaced, passwords) = (password, replaced, [password])
        for token in unclear {
            record.end(token, isConfirmed: isConfirmed, "\(email) changed the password")
        }
        unclear = []
    }

    private func signOut(_ token: String) async throws {
        live.removeAll { $0 == token }
        var isFirst = true
        while !record.isStopped {
            if let response = try await client.send(.writes, "/api/auth/mobile/logout", token: token) {
                if response.status == .unauthorized, isFirst { recordRefusal(token, response.status) }
                return record.end(
                    token, isConfirmed: isFirst, "sign-out of \(email) was answered \(response.status)")
            }
            isFirst = false
        }
    }

    private func changePassword(_ token: String) async throws {
        let new = "password-\(random.next())-of-a-person"
        // Proxies may repeat 'PUT', and this one must not be done twice.
        let method = Bool.random(using: &random) ? HTTPMethod.post : .put
        let response = try await client.send(
            .writes, "/immich/api/auth/change-password", method: method, token: token,
            json: ["password": .string(password), "newPassword": .string(new)])
        let others = live.filter { $0 != token }
        switch response?.status {
        case .ok?, .created?:
            live = [token]
            unclear += others
            resolve(to: new, replaced: password, isConfirmed: true)
        case nil:
            passwords.append(new)
            live = [token]
            unclear += others
        case let status?:
            if isClear { record.addViolation("a change of the password of \(email) was answered \(status.rawValue)") }
            // The session or the password ended by an unclear change. If that change was made with this session, it is
            // still live, so nothing is known about it.
            live.removeAll { $0 == token }
        }
    }
}
