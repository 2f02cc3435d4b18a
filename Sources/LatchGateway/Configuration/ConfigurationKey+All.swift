import Crypto
import HTTPServer

extension ConfigurationKey {
    /// All keys, in the order in which they are listed.
    public static let all = [
        reach, tls, onyx, immich, timeTracker, relateMail, verify, pages, sessions, passwords, guards, bridge, redis,
        limits, observation,
    ].flatMap { $0 }

    private static let day = Duration.seconds(86_400)

    private static let reach = [
        ConfigurationKey(
            list: "listen", \.listen, of: .listener,
            "Where to listen: address:port, [address]:port, or unix:/path of a socket. With a certificate an address "
                + "speaks TLS, unless it begins with http://.", allowsNone: false),
        ConfigurationKey(
            "database", \.databasePath, .databasePath, "The SQLite file; it is made when it is not there.",
            defaultValue: "$XDG_STATE_HOME/latchd/latchd.db"),
        ConfigurationKey(
            "public_url", \.settings.publicURL, .publicURL,
            "The address that browsers and other servers know this one by, such as https://latch.example."),
        ConfigurationKey(
            list: "trusted_proxies", \.proxyNetworks, of: .network,
            "Networks of the reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, and that may "
                + "speak plain HTTP from other machines."),
        ConfigurationKey(
            "loops", \.server.loops, .number(1...256), "How many event loops serve requests.",
            defaultValue: "one a core"),
    ]

    private static let tls = [
        ConfigurationKey(
            "tls.certificate", \.certificatePath, .optionalPath,
            "The certificate, PEM: the server's own first, then the rest of its chain. Replaced files are taken by "
                + "themselves."),
        ConfigurationKey(
            "tls.key", \.keyPath, .optionalPath, "The certificate's private key, PEM, without a passphrase."),
        ConfigurationKey(
            "tls.hsts", \.strictTransport, .optionalDuration(.zero...day * 3650),
            "How long browsers are told to come back by HTTPS only (Strict-Transport-Security)."),
    ]

    private static let onyx = [
        ConfigurationKey(
            "dialects.onyx.enabled", \.settings.onyx.isEnabled, .boolean, "Whether clients of Onyx can sign in."),
        ConfigurationKey(
            "dialects.onyx.prefix", \.settings.onyx.prefix, .prefix, "What stands before the paths of the Onyx dialect."
        ),
        ConfigurationKey(
            "dialects.onyx.registration", \.settings.onyx.allowsRegistration, .boolean,
            "Whether anybody may make an account for themselves."),
    ]

    private static let sessions = [
        ConfigurationKey(
            "sessions.lifetime", \.settings.sessions.sliding, .duration(.seconds(60)...day * 3650),
            "How long a session lives after its last use."),
        ConfigurationKey(
            "sessions.maximum", \.settings.sessions.maximum, .duration(.seconds(60)...day * 3650),
            "How long a session lives at most, however much it is used."),
        ConfigurationKey(
            "sessions.remember_ended", \.settings.sessions.rememberEnded, .duration(.seconds(60)...day * 3650),
            "How long an ended session is told apart from an unknown one."),
        ConfigurationKey(
            "sessions.maximum_per_person", \.settings.sessions.maximumPerPerson, .number(1...10_000),
            "How many live sessions a person may have; another one ends the oldest."),
    ]

    private static let passwords = [
        ConfigurationKey(
            "passwords.enabled", \.settings.passwordsEnabled, .boolean,
            "Whether people may sign in with e-mail address and password."),
        ConfigurationKey(
            "passwords.minimum_length", \.settings.passwords.minimumLength, .number(1...1024),
            "The shortest new password, in characters."),
        ConfigurationKey(
            "passwords.maximum_length", \.settings.passwords.maximumLength, .number(1...1024),
            "The longest new password, in characters."),
        ConfigurationKey(
            "passwords.require_uppercase", \.settings.passwords.requiresUppercase, .boolean,
            "Whether a new password needs an upper-case letter."),
        ConfigurationKey(
            "passwords.require_lowercase", \.settings.passwords.requiresLowercase, .boolean,
            "Whether a new password needs a lower-case letter."),
        ConfigurationKey(
            "passwords.require_digit", \.settings.passwords.requiresDigit, .boolean,
            "Whether a new password needs a digit."),
        ConfigurationKey(
            "passwords.require_special", \.settings.passwords.requiresSpecialCharacter, .boolean,
            "Whether a new password needs a special character."),
        ConfigurationKey(
            "passwords.argon2_memory", \.hashingMemory,
            .bytes(8_192...Argon2idParameters.bearableMemoryKiB * 1_024, unit: .kibibytes),
            "Memory for hashing one password; a number alone is KiB."),
        ConfigurationKey(
            "passwords.argon2_iterations", \.hashingIterations, .number(1...Argon2idParameters.bearableIterations),
            "Passes over that memory."),
        ConfigurationKey(
            "hashing.threads", \.settings.hashing.threads, .number(1...256),
            "How many passwords are hashed at once.", defaultValue: "one a core"),
        ConfigurationKey(
            "hashing.queue", \.settings.hashing.queue, .number(1...100_000),
            "How many sign-ins may wait for that; more are answered 503."),
    ]

    private static let guards = [
        ConfigurationKey(
            "guards.account_attempts", \.settings.accountLimit.attempts, .number(1...1_000_000),
            "Failed sign-ins on one account before it is locked."),
        ConfigurationKey(
            "guards.account_window", \.settings.accountLimit.window, .duration(.seconds(1)...day * 30),
            "How long a failure on an account counts."),
        ConfigurationKey(
            "guards.address_attempts", \.settings.addressLimit.attempts, .number(1...1_000_000),
            "Failed sign-ins from one address before it is locked."),
        ConfigurationKey(
            "guards.address_window", \.settings.addressLimit.window, .duration(.seconds(1)...day * 30),
            "How long a failure from an address counts."),
        ConfigurationKey(
            "guards.lockout_first", \.firstLockOut, .duration(.seconds(1)...day * 30),
            "How long the first lock-out lasts; each further one lasts twice as long."),
        ConfigurationKey(
            "guards.lockout_maximum", \.maximumLockOut, .duration(.seconds(1)...day * 30),
            "How long a lock-out lasts at most."),
        ConfigurationKey(
            "guards.address_requests", \.addressRequests, .number(1...1_000_000),
            "Requests a minute from one address for what must be looked up: sign-ins through providers, exchanges of codes, "
                + "keys and tokens that were not seen lately."),
        ConfigurationKey(
            "guards.credential_requests", \.credentialRequests, .number(1...1_000_000),
            "Requests a minute by one person for keys of programs."),
        ConfigurationKey(
            "guards.general_requests", \.generalRequests, .number(1...1_000_000),
            "Requests a minute by one person or key for what the gateway itself tells."),
        ConfigurationKey(
            "guards.write_requests", \.writeRequests, .number(1...1_000_000),
            "Requests a minute by one person or key for what the gateway itself changes."),
    ]

    private static let bridge = [
        ConfigurationKey(
            list: "bridge.redirects", \.settings.bridge.redirects, of: .redirect,
            "The addresses in apps that a sign-in through a provider may end at, compared character by character."),
        ConfigurationKey(
            "bridge.loopback_redirects", \.settings.bridge.loopbackRedirects, .boolean,
            "Whether programs on the person's own machine may be such an app, at http://127.0.0.1 and http://[::1] with any "
                + "port."),
        ConfigurationKey(
            "bridge.code_lifetime", \.settings.bridge.codeLifetime, .duration(.seconds(5)...(.seconds(600))),
            "How long a one-time code is good."),
        ConfigurationKey(
            "bridge.key_file", \.settings.bridge.keyFile, .optionalPath,
            "The file of the key that seals sign-ins under way; it is made when it is not there. Gateways that share one "
                + "complete each other's sign-ins.", defaultValue: "bridge.key beside the database"),
        ConfigurationKey(
            "bridge.codes", \.settings.codes, .choice(CodeStoreKind.allCases.map { ($0.rawValue, $0) }),
            "Where one-time codes wait: in redis, several gateways complete each other's sign-ins."),
    ]

    private static let redis = [
        ConfigurationKey(
            "redis.url", \.redis.url, .optionalWord("the URL of Redis"),
            "The Redis to use: redis://[USER@]HOST[:PORT][/DATABASE] or unix:/PATH[?db=DATABASE], without a password."),
        ConfigurationKey(
            "redis.password_file", \.redis.password, .secretFile, "A file with the password of Redis and nothing else."),
        ConfigurationKey(
            "redis.allow_plain", \.redis.allowsPlain, .boolean,
            "Whether Redis may be on another machine although nothing is encrypted on the way there."),
    ]

    private static let limits = [
        ConfigurationKey(
            "limits.header", \.server.maximumHeaderBytes, .bytes(1_024...1_048_576),
            "The largest head of a request; above it 431."),
        ConfigurationKey(
            "limits.body", \.server.maximumBodyBytes, .bytes(1_024...1_073_741_824),
            "The largest body of a request; above it 413. A route may take less: 16 KiB of whoever is not signed in."),
        ConfigurationKey(
            "limits.connections_per_address", \.connectionsPerAddress, .number(1...1_000_000),
            "How many connections one address may have at once, an IPv6 /64 being one; further ones are closed. Those of "
                + "trusted_proxies and of Unix sockets do not count.", defaultValue: "512, a quarter of all at most"),
        ConfigurationKey(
            "limits.idle", \.server.idleTimeout, .duration(.seconds(1)...day),
            "How long a connection may wait for its next request, and a client take nothing of its answer."),
        ConfigurationKey(
            "limits.header_timeout", \.server.headerTimeout, .duration(.milliseconds(100)...day),
            "How long the head of a request may take; the first on a connection with its TLS handshake."),
        ConfigurationKey(
            "limits.body_timeout", \.server.bodyTimeout, .duration(.milliseconds(100)...day),
            "How long the body of a request may take."),
        ConfigurationKey(
            "limits.drain", \.drain, .duration(.zero...day),
            "How long requests may still run after SIGTERM."),
    ]

    private static let observation = [
        ConfigurationKey(
            "log.format", \.settings.logFormat, .choice([("text", .text), ("json", .json)]),
            "How log lines are written."),
        ConfigurationKey(
            "log.level", \.settings.logLevel, .choice(Log.Level.allCases.map { ("\($0)", $0) }),
            "The least that is logged."),
        ConfigurationKey(
            "audit_log", \.settings.auditPath, .optionalPath,
            "A file that gets a JSON line for every sign-in, failure and revocation."),
        ConfigurationKey("metrics.enabled", \.settings.metrics.isEnabled, .boolean, "Whether there is /metrics."),
        ConfigurationKey(
            list: "metrics.allow", \.settings.metrics.allowed, of: .network, "Networks that may read /metrics."),
    ]

    /// Returns a list for people: each key with its environment variable, meaning and default.
    public static func listing() -> String {
        let all = Self.all + ConfigurationFamily.all.flatMap { $0.keys(ConfigurationFamily.placeholder) }
        let width = all.map(\.path.count).max() ?? 0
        let lines = all.map { key in
            let gap = String(repeating: " ", count: width - key.path.count + 2)
            return "\(key.path)\(gap)\(key.variable)\n    \(key.summary) Default: \(key.defaultValue)."
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ConfigurationFamily {
    static let introspectionClients = ConfigurationFamily(path: "introspection.clients") { name in
        [
            ConfigurationKey(
                "introspection.clients.\(name).secret", \.introspection[name].secret, .secret,
                "The client_secret of the server \(name), which may ask what a token is worth; better in a file."),
            ConfigurationKey(
                "introspection.clients.\(name).secret_file", \.introspection[name].fileSecret, .secretFile,
                "A file with the client_secret of the server \(name) and nothing else."),
        ]
    }
}
