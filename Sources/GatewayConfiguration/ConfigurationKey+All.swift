import Crypto
import GatewayCore
import HTTPServer
import SignInBridge

extension ConfigurationKey {
    /// Returns all keys, in the order in which they are listed.
    ///
    /// - Parameter dialects: The settings of all dialects that can be served.
    /// - Returns: The keys.
    package static func all(for dialects: [any DialectSettings]) -> [ConfigurationKey] {
        reach + tls + dialects.flatMap { type(of: $0).configurationKeys } + general
    }

    private static let general = [
        verify, pages, oauth, sessions, passwords, guards, bridge, redis, limits, observation,
    ].flatMap { $0 }

    private static let day = Duration.seconds(86_400)

    private static let reach = [
        ConfigurationKey(
            list: "listen", \.listen, of: .listener,
            summary: "The addresses to listen on: address:port, [address]:port, or unix:/path for a socket. With a "
                + "certificate, an address uses TLS unless it begins with http://.", allowsNone: false),
        ConfigurationKey(
            "database", \.settings.database, as: .database,
            summary: "The SQLite file, which is created if it does not exist, or the address of a PostgreSQL database, "
                + "such as postgresql://latchd@db1,db2/latchd?passfile=/etc/latchd/pgpass.",
            defaultValue: "$XDG_STATE_HOME/latchd/latchd.db"),
        ConfigurationKey(
            "public_url", \.settings.publicURL, as: .publicURL,
            summary: "The address at which browsers and other servers reach this server, such as "
                + "https://latch.example."),
        ConfigurationKey(
            list: "trusted_proxies", \.proxyNetworks, of: .network,
            summary: "Networks of the reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, and "
                + "that may use plain HTTP from other machines."),
        ConfigurationKey(
            "loops", \.server.loops, as: .number(1...256), summary: "The number of event loops that serve requests.",
            defaultValue: "one per core"),
    ]

    private static let tls = [
        ConfigurationKey(
            "tls.certificate", \.certificatePath, as: .optionalPath,
            summary: "The certificate in PEM format: the server's own first, then the rest of its chain. Replaced "
                + "files are loaded automatically."),
        ConfigurationKey(
            "tls.key", \.keyPath, as: .optionalPath,
            summary: "The certificate's private key in PEM format, without a passphrase."),
        ConfigurationKey(
            "tls.hsts", \.strictTransport, as: .optionalDuration(.zero...day * 3650),
            summary: "How long browsers must use only HTTPS for this server (Strict-Transport-Security)."),
    ]

    private static let sessions = [
        ConfigurationKey(
            "sessions.lifetime", \.settings.sessions.sliding, as: .duration(.seconds(60)...day * 3650),
            summary: "The lifetime of a session after its last use."),
        ConfigurationKey(
            "sessions.maximum", \.settings.sessions.maximum, as: .duration(.seconds(60)...day * 3650),
            summary: "The maximum lifetime of a session, regardless of its use."),
        ConfigurationKey(
            "sessions.remember_ended", \.settings.sessions.rememberEnded, as: .duration(.seconds(60)...day * 3650),
            summary: "How long an ended session is distinguished from an unknown one."),
        ConfigurationKey(
            "sessions.maximum_per_person", \.settings.sessions.maximumPerPerson, as: .number(1...10_000),
            summary: "The maximum number of live sessions per person. A further session ends the oldest one."),
        ConfigurationKey(
            "sessions.maximum_new_per_client", \.settings.sessions.maximumNewPerClient, as: .number(1...200),
            summary: "The maximum number of sessions that one client of OAuth may start for one person in an hour."),
        ConfigurationKey(
            "sessions.tokens", \.settings.sessions.tokens,
            as: .choice([("stateful", .stateful), ("rotating", .rotating)]),
            summary: "The tokens of apps of Onyx's protocol: one for the whole session, or a short-lived one with a "
                + "refresh token."),
        ConfigurationKey(
            "sessions.access_token_lifetime", \.settings.sessions.accessToken,
            as: .duration(.seconds(60)...(.seconds(3_600))),
            summary: "The lifetime of an access token if sessions.tokens is rotating."),
    ]

    private static let passwords = [
        ConfigurationKey(
            "passwords.enabled", \.settings.passwordsEnabled, as: .boolean,
            summary: "Whether people may sign in with e-mail address and password."),
        ConfigurationKey(
            "passwords.minimum_length", \.settings.passwords.minimumLength, as: .number(1...1024),
            summary: "The minimum length of a new password, in characters."),
        ConfigurationKey(
            "passwords.maximum_length", \.settings.passwords.maximumLength, as: .number(1...1024),
            summary: "The maximum length of a new password, in characters."),
        ConfigurationKey(
            "passwords.require_uppercase", \.settings.passwords.requiresUppercase, as: .boolean,
            summary: "Whether a new password needs an upper-case letter."),
        ConfigurationKey(
            "passwords.require_lowercase", \.settings.passwords.requiresLowercase, as: .boolean,
            summary: "Whether a new password needs a lower-case letter."),
        ConfigurationKey(
            "passwords.require_digit", \.settings.passwords.requiresDigit, as: .boolean,
            summary: "Whether a new password needs a digit."),
        ConfigurationKey(
            "passwords.require_special", \.settings.passwords.requiresSpecialCharacter, as: .boolean,
            summary: "Whether a new password needs a special character."),
        ConfigurationKey(
            "passwords.argon2_memory", \.hashingMemory,
            as: .bytes(8_192...Argon2idParameters.maximumMemoryKiB * 1_024, unit: .kibibytes),
            summary: "The memory for hashing one password. A number without a unit is in KiB."),
        ConfigurationKey(
            "passwords.argon2_iterations", \.hashingIterations, as: .number(1...Argon2idParameters.maximumIterations),
            summary: "The number of passes over that memory."),
        ConfigurationKey(
            "hashing.threads", \.settings.hashing.threads, as: .number(1...256),
            summary: "The number of passwords that are hashed at the same time.", defaultValue: "one per core"),
        ConfigurationKey(
            "hashing.queue", \.settings.hashing.queue, as: .number(1...4_096),
            summary: "The maximum number of sign-ins that wait for hashing. Further ones get 503."),
    ]

    private static let guards = [
        ConfigurationKey(
            "guards.account_attempts", \.settings.accountLimit.attempts, as: .number(1...1_000_000),
            summary: """
                The number of failed sign-ins after which an account is locked. Each address from which the person has \
                signed in with the password in the last 90 days has its own count; all others have one together.
                """),
        ConfigurationKey(
            "guards.account_window", \.settings.accountLimit.window, as: .duration(.seconds(1)...day * 30),
            summary: "How long a failed sign-in counts against the account."),
        ConfigurationKey(
            "guards.address_attempts", \.settings.addressLimit.attempts, as: .number(1...1_000_000),
            summary: "The number of failed sign-ins after which an address is locked."),
        ConfigurationKey(
            "guards.address_window", \.settings.addressLimit.window, as: .duration(.seconds(1)...day * 30),
            summary: "How long a failed sign-in counts against the address."),
        ConfigurationKey(
            "guards.lockout_first", \.firstLockOut, as: .duration(.seconds(1)...day * 30),
            summary: "The length of the first lock-out. Each further one is twice as long."),
        ConfigurationKey(
            "guards.lockout_maximum", \.maximumLockOut, as: .duration(.seconds(1)...day * 30),
            summary: "The maximum length of a lock-out."),
        ConfigurationKey(
            "guards.address_requests", \.addressRequests, as: .number(1...1_000_000),
            summary: "Requests per minute from one address that require a lookup: sign-ins through providers, "
                + "exchanges of codes, and keys and tokens of Relate Mail that are not in memory."),
        ConfigurationKey(
            "guards.client_requests", \.clientRequests, as: .number(1...1_000_000),
            summary: "Requests per minute by one client of OAuth with a secret or keys, or by one server that "
                + "introspects tokens. They do not count against the address."),
        ConfigurationKey(
            "guards.credential_requests", \.credentialRequests, as: .number(1...1_000_000),
            summary: "Requests per minute by one person about keys of programs."),
        ConfigurationKey(
            "guards.general_requests", \.generalRequests, as: .number(1...1_000_000),
            summary: "Reads of the Relate Mail profile and refreshes of Onyx sessions per minute, by one person or "
                + "key. Reads of the pages and of the Immich dialect are not limited."),
        ConfigurationKey(
            "guards.write_requests", \.writeRequests, as: .number(1...1_000_000),
            summary: "Write requests to the gateway itself per minute, by one person or key; half of them by one "
                + "session. Requests that end access have the same number of each session or key, apart from others."),
        ConfigurationKey(
            "guards.sign_ins", \.signIns, as: .number(1...1_000_000),
            summary: "Sign-ins of one person with the correct password per minute."),
    ]

    private static let bridge = [
        ConfigurationKey(
            list: "bridge.redirects", \.settings.bridge.redirects, of: .redirect,
            summary: "The app addresses that a sign-in through a provider may redirect to, compared character by "
                + "character."),
        ConfigurationKey(
            "bridge.loopback_redirects", \.settings.bridge.loopbackRedirects, as: .boolean,
            summary: "Whether such a sign-in may also redirect to programs on the person's own machine, at "
                + "http://127.0.0.1 and http://[::1] with any port."),
        ConfigurationKey(
            "bridge.code_lifetime", \.settings.bridge.codeLifetime, as: .duration(.seconds(5)...(.seconds(600))),
            summary: "The lifetime of a one-time code."),
        ConfigurationKey(
            "bridge.key_file", \.settings.bridge.keyFile, as: .optionalPath,
            summary: "The file of the key that encrypts sign-ins in progress. It is created if it does not exist. "
                + "Gateways that share it can complete each other's sign-ins.",
            defaultValue: "bridge.key next to the database"),
        ConfigurationKey(
            "bridge.codes", \.settings.codes, as: .choice(CodeStoreKind.allCases.map { ($0.rawValue, $0) }),
            summary: "Where one-time codes are stored. With database or redis, several gateways can complete each "
                + "other's sign-ins.", defaultValue: "memory; database if the database is PostgreSQL"),
    ]

    private static let redis = [
        ConfigurationKey(
            "redis.url", \.redis.url, as: .optionalText("the URL of Redis"),
            summary: "The URL of Redis: redis://[USER@]HOST[:PORT][/DATABASE] or unix:/PATH[?db=DATABASE], without a "
                + "password."),
        ConfigurationKey(
            "redis.password_file", \.redis.password, as: .secretFile,
            summary: "A file that contains only the password of Redis."),
        ConfigurationKey(
            "redis.allow_plain", \.redis.allowsPlain, as: .boolean,
            summary: "Whether Redis may be on another machine although the connection is not encrypted."),
    ]

    private static let limits = [
        ConfigurationKey(
            "limits.header", \.server.maximumHeaderBytes, as: .bytes(1_024...1_048_576),
            summary: "The maximum size of a request head. Larger ones get 431."),
        ConfigurationKey(
            "limits.body", \.server.maximumBodyBytes, as: .bytes(1_024...1_073_741_824),
            summary: "The maximum size of a request body. Larger ones get 413. Some routes accept less, such as 16 KiB "
                + "from clients that are not signed in."),
        ConfigurationKey(
            "limits.connections_per_address", \.connectionsPerAddress, as: .number(1...1_000_000),
            summary: "The maximum number of open connections from one address; an IPv6 /64 counts as one address, a "
                + "/56 as four and a /48 as sixteen. Further connections are closed. Those from trusted_proxies and Unix sockets do not count.",
            defaultValue: "512, or a quarter of all if that is less"),
        ConfigurationKey(
            "limits.idle", \.server.idleTimeout, as: .duration(.seconds(1)...day),
            summary: "How long a connection may wait for its next request, or for the client to receive more of a "
                + "response."),
        ConfigurationKey(
            "limits.header_timeout", \.server.headerTimeout, as: .duration(.milliseconds(100)...day),
            summary: "The maximum time to receive a request head. For the first one on a connection, this includes the "
                + "TLS handshake."),
        ConfigurationKey(
            "limits.body_timeout", \.server.bodyTimeout, as: .duration(.milliseconds(100)...day),
            summary: "The maximum time to receive a request body."),
        ConfigurationKey(
            "limits.shutdown_delay", \.shutdownDelay, as: .duration(.zero...day),
            summary:
                "How long requests are still accepted after SIGTERM, while /readyz responds with 503, so that load "
                + "balancers send no more. Only if /readyz was requested in the minute before."),
        ConfigurationKey(
            "limits.drain", \.drain, as: .duration(.zero...day),
            summary: "How long running requests may continue after SIGTERM and limits.shutdown_delay."),
    ]

    private static let observation = [
        ConfigurationKey(
            "log.format", \.settings.logFormat, as: .choice([("text", .text), ("json", .json)]),
            summary: "The format of log lines."),
        ConfigurationKey(
            "log.level", \.settings.logLevel, as: .choice(Log.Level.allCases.map { ("\($0)", $0) }),
            summary: "The lowest level that is logged."),
        ConfigurationKey(
            "audit_log", \.settings.auditPath, as: .optionalPath,
            summary: "A file that receives a JSON line for every sign-in, failure and revocation."),
        ConfigurationKey(
            "metrics.enabled", \.settings.metrics.isEnabled, as: .boolean, summary: "Whether /metrics is served."),
        ConfigurationKey(
            list: "metrics.allow", \.settings.metrics.allowed, of: .network,
            summary: "Networks that may read /metrics."),
    ]

    /// Returns a list for people: each key with its environment variable, meaning and default.
    ///
    /// - Parameter dialects: The settings of all dialects that can be served.
    /// - Returns: The list, with a line break after each line.
    package static func listing(for dialects: [any DialectSettings]) -> String {
        let all = all(for: dialects) + ConfigurationFamily.all.flatMap { $0.keys(ConfigurationFamily.placeholder) }
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
                "introspection.clients.\(name).secret", \.introspection[name].secret, as: .secret,
                summary: "The client_secret of the server \(name), which may introspect tokens. A file is safer."),
            ConfigurationKey(
                "introspection.clients.\(name).secret_file", \.introspection[name].fileSecret, as: .secretFile,
                summary: "A file that contains only the client_secret of the server \(name)."),
        ]
    }
}
