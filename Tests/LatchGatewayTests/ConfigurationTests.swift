import Crypto
import GatewayConfiguration
import GatewayCore
import GatewayDialects
import HTTPMessages
import HTTPServer
import LatchGateway
import SignInBridge
import Testing

@Suite("The configuration")
struct ConfigurationTests: ReadsConfigurations {
    @Test("is complete without a file and with an empty one", arguments: [nil, "", "# nothing\n", "limits:\n"])
    func defaults(file: String?) throws {
        let configuration = try read(file)

        #expect(configuration.server.listeners == [.tcp(host: "127.0.0.1", port: 2283)])
        #expect(configuration.settings.database.path == "/state/latchd.db")
        #expect(configuration.settings.sessions == SessionLifetime())
        #expect(configuration.settings.accountLimit.attempts == 10)
        #expect(configuration.settings.addressLimit.window == .seconds(900))
        #expect(configuration.settings.onyx == OnyxSettings())
        #expect(configuration.shutdownDelay == .seconds(3))
        #expect(configuration.drain == .seconds(10))
    }

    @Test("reads every kind of value from the file")
    func file() throws {
        let configuration = try read(
            """
            listen: ["[::1]:80", "unix:run.sock", localhost:0]
            database: data/l.db
            trusted_proxies: 10.0.0.0/8
            loops: 3
            dialects: {onyx: {prefix: /, registration: yes}}
            sessions: {lifetime: 2h, maximum: 3d}
            passwords: {minimum_length: 10, require_digit: on, argon2_memory: 32MiB, argon2_iterations: 3}
            hashing: {queue: 7}
            guards: {lockout_first: 1m, lockout_maximum: 4m}
            limits: {header: 8KiB, body: 2000, idle: 1500ms, shutdown_delay: 5s, drain: 0s}
            log: {format: json, level: warning}
            audit_log: /var/audit
            metrics: {allow: []}
            """)

        #expect(
            configuration.server.listeners == [
                .tcp(host: "::1", port: 80), .unix(path: "/etc/run.sock"), .tcp(host: "127.0.0.1", port: 0),
            ])
        #expect(configuration.settings.database.path == "/etc/data/l.db")
        #expect(configuration.settings.trustedProxies == TrustedProxies([IPNetwork("10.0.0.0/8")].compactMap { $0 }))
        #expect(configuration.server.loops == 3)
        #expect(configuration.settings.onyx.isEnabled)
        #expect(configuration.settings.onyx.allowsRegistration)
        #expect(configuration.settings.bridge.prefix.isEmpty)
        #expect(configuration.settings.sessions == SessionLifetime(sliding: .seconds(7200), maximum: .seconds(259_200)))
        #expect(configuration.settings.passwords.minimumLength == 10)
        #expect(configuration.settings.passwords.requiresDigit)
        #expect(configuration.settings.hashing.parameters.memoryKiB == 32_768)
        #expect(configuration.settings.hashing.parameters.iterations == 3)
        #expect(configuration.settings.hashing.queue == 7)
        #expect(configuration.settings.addressLimit.firstLockOut == .seconds(60))
        #expect(configuration.settings.accountLimit.maximumLockOut == .seconds(240))
        #expect(configuration.server.maximumHeaderBytes == 8192)
        #expect(configuration.server.maximumBodyBytes == 2000)
        #expect(configuration.server.idleTimeout == .milliseconds(1500))
        #expect(configuration.shutdownDelay == .seconds(5))
        #expect(configuration.drain == .zero)
        #expect(configuration.settings.logFormat == .json)
        #expect(configuration.settings.logLevel == .warning)
        #expect(configuration.settings.auditPath == "/var/audit")
        #expect(configuration.settings.metrics.allowed.isEmpty)
    }

    @Test(
        "says what is wrong with the address of a PostgreSQL database, without its password",
        arguments: [
            ("postgres://x/y?sslmode=require", "would send data over a network", "use 'verify-full'"),
            ("postgresql://ada:s3cr3t-word@db.example.org/latch", "contains a password", "passfile"),
            ("postgresql://ada:a?s3cr3t@db.example.org/latch", "contains a password", "passfile"),
            ("postgresql://db.example/latch?password=a@s3cr3t", "contains a password", "passfile"),
            ("postgresql://db.example/latch?password=s3cr3t&x=@", "has an unknown parameter", "correct its name"),
            ("postgresql://db.example/latch?sslmod=s3cr3t", "(did you mean 'sslmode'?)", "correct its name"),
            ("postgresql://[x/latch?password=s3cr3t", "is malformed", "write 'postgresql://"),
            ("postgresql://db.example/latch?service=s3cr3t", "has the parameter 'service'", "write host, port"),
        ])
    func serverAddress(_ address: String, _ reason: String, _ remedy: String) {
        for text in [
            configurationErrors("", ["LATCHD_DATABASE": address]), configurationErrors("database: '\(address)'", [:]),
        ] {
            #expect(text.count == 1 && text.first?.contains(reason) == true, "\(text)")
            #expect(text.first?.contains(remedy) == true && text.first?.contains("s3cr3t") == false, "\(text)")
        }
    }

    @Test(
        "refuses the address of another database server, without its password in the message",
        arguments: [
            "mysql://ada:s3cr3t/word@h/d",
            "sqlite:///var/lib/latchd.db", "file:///var/lib/latchd.db", "REDIS+tls://:s3cr3t-word@h",
        ])
    func databaseAddress(_ address: String) {
        for text in [
            configurationErrors("", ["LATCHD_DATABASE": address]), configurationErrors("database: '\(address)'", [:]),
            configurationErrors("audit_log: '\(address)'", [:]),
        ] {
            #expect(text.count == 1 && text.first?.contains("it must be the path of a") == true, "\(text)")
            #expect(text.first?.contains("s3cr3t") == false, "\(text)")
        }
        #expect(configurationErrors("", ["LATCHD_DATABASE": address]).first?.contains("SQLite") == true)
        #expect(throws: Never.self) { try read("database: 'odd:name.db'", [:]) }
    }

    @Test("prefers the environment to the file for every key")
    func environment() throws {
        let configuration = try read(
            "listen: 127.0.0.1:1\nsessions: {lifetime: 1h}\n",
            [
                "LATCHD_LISTEN": "127.0.0.1:2, [::1]:3", "LATCHD_DATABASE": "here.db",
                "LATCHD_SESSIONS_LIFETIME": "5d", "LATCHD_DIALECTS_ONYX_ENABLED": "false",
                "LATCHD_CONFIG": "/etc/l.yaml",
                "LATCHD_AUDIT_LOG": "", "PATH": "/bin",
            ])

        #expect(configuration.server.listeners == [.tcp(host: "127.0.0.1", port: 2), .tcp(host: "::1", port: 3)])
        #expect(configuration.settings.database.path == "here.db")
        #expect(configuration.settings.sessions.sliding == .seconds(432_000))
        #expect(!configuration.settings.onyx.isEnabled)
        #expect(configuration.settings.auditPath == nil)
    }

    @Test("pages are not served below a path")
    func publicPath() throws {
        let path = "public_url: https://id.example.org/auth\n"
        #expect(
            configurationErrors(path + "pages: {enabled: true}").contains {
                $0.contains("public_url has a path, but pages.enabled is true")
            })
        #expect(
            configurationErrors("public_url: https://id.example.org/").contains {
                $0.contains("without '/' at its end")
            })
    }

    @Test("reports all mistakes at once, each with its line and remedy")
    func reportsAllErrors() {
        let file = """
            lisen: 127.0.0.1:1
            sessions:
              lifetime: 7 weeks
              maximum: [1d]
            limits: 5
            loops: 0
            listen:
              - 127.0.0.1:80
              - example.org:80
            metrics: {enabled: maybe, allow: [10.0.0.1/8]}
            database:
            dialects: {elsewhere: {enabled: true}}
            tls: {secret:hunter2}
            """
        #expect(
            configurationErrors(file, ["LATCHD_FOO": "1", "LATCHD_LOG_LEVEL": "loud", "LATCHD_LISTN": "x"]) == [
                "/etc/l.yaml, line 1: unknown key 'lisen'; did you mean 'listen'?",
                "/etc/l.yaml, line 3: sessions.lifetime: '7 weeks' is not valid; "
                    + "it must be a time from 1m to 3650d, such as 90s, 15m, 2h or 7d.",
                "/etc/l.yaml, line 4: sessions.maximum is not a single value; "
                    + "write it in the form of its default, 90d.",
                "/etc/l.yaml, line 5: limits is a section of keys; write 'key: value' lines under it.",
                "/etc/l.yaml, line 6: loops: '0' is not valid; it must be a whole number from 1 to 256.",
                "/etc/l.yaml, line 9: listen: 'example.org:80' is not valid; "
                    + "it must be address:port such as 127.0.0.1:2283 or [::]:2283, optionally after http:// or "
                    + "https://, or unix: and a path.",
                "/etc/l.yaml, line 10: metrics.enabled: 'maybe' is not valid; it must be true or false.",
                "/etc/l.yaml, line 10: metrics.allow: '10.0.0.1/8' is not valid; "
                    + "it must be a network such as 10.0.0.0/8 or an address.",
                "/etc/l.yaml, line 11: database has no value; add a value, or remove the line.",
                "/etc/l.yaml, line 12: unknown key 'dialects.elsewhere'; remove it; "
                    + "the keys of dialects are immich, onyx, relate-mail, timetracker.",
                "/etc/l.yaml, line 13: 'tls.secret' has no space after its colon; write 'key: value'.",
                "environment variable LATCHD_FOO: no key corresponds to this variable; "
                    + "remove it; 'latchd check --keys' lists all keys.",
                "environment variable LATCHD_LISTN: no key corresponds to this variable; did you mean 'LATCHD_LISTEN'?",
                "environment variable LATCHD_LOG_LEVEL: log.level: 'loud' is not valid; "
                    + "it must be debug or info or warning or error.",
            ])
    }

    @Test("is refused with the line if it is invalid YAML")
    func syntax() {
        #expect(
            configurationErrors("a: 1\na: 2\n").first?.hasPrefix("/etc/l.yaml, line 2: column 1: the key 'a'") == true)
        #expect(
            configurationErrors("- a\n").first?.hasPrefix("/etc/l.yaml, line 1: the file is not a list of keys") == true
        )
    }

    @Test(
        "is refused if values contradict each other, with the line of one of them",
        arguments: [
            ("sessions:\n  maximum: 1d\n", "/etc/l.yaml, line 2: sessions.lifetime is longer than sessions.maximum"),
            ("passwords:\n  minimum_length: 99\n", "/etc/l.yaml, line 2: passwords.minimum_length is greater"),
            ("guards: {lockout_first: 2h}\n", "/etc/l.yaml, line 1: guards.lockout_first is longer"),
            ("listen: ['127.0.0.1:80', 'localhost:80']\n", "/etc/l.yaml, line 1: listen contains an address twice"),
            ("audit_log: /state/latchd.db\n", "/etc/l.yaml, line 1: audit_log and database are the same file"),
            ("listen: 0.0.0.0:80\n", "/etc/l.yaml, line 1: listen would serve plain HTTP, including passwords"),
            ("listen: ['127.0.0.1:80', '[::]:80']\n", "/etc/l.yaml, line 1: listen would serve plain HTTP"),
            ("listen: https://0.0.0.0:443\n", "/etc/l.yaml, line 1: listen has an https:// address, but there is no"),
            ("tls: {certificate: /c}\n", "/etc/l.yaml, line 1: tls.certificate and tls.key are not both set"),
            ("tls: {key: /k}\n", "/etc/l.yaml, line 1: tls.certificate and tls.key are not both set"),
            (
                "tls: {certificate: /c, key: /k}\nlisten: unix:/s\n",
                "/etc/l.yaml, line 1: tls.certificate is set, but no address in listen uses TLS"
            ),
            (
                "tls: {certificate: /c, key: /k}\nlisten: ['0.0.0.0:443', 'http://0.0.0.0:80']\n",
                "/etc/l.yaml, line 2: listen would serve plain HTTP"
            ),
            (
                "tls: {certificate: /c, key: /k}\nlisten: http://0.0.0.0:80\n",
                "/etc/l.yaml, line 2: listen would serve plain HTTP, including passwords, to the network in addition"
            ),
            ("trusted_proxies: 0.0.0.0/0\n", "/etc/l.yaml, line 1: trusted_proxies contains every address"),
            ("tls: {hsts: 180d}\n", "/etc/l.yaml, line 1: tls.hsts is set, but no response could contain it"),
            ("listen: ['http://127.0.0.1:80', '127.0.0.1:80']\n", "/etc/l.yaml, line 1: listen contains an address"),
        ])
    func contradictions(file: String, beginning: String) {
        let found = configurationErrors(file)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(beginning) == true, "\(found)")
    }

    @Test(
        "uses TLS on every address without http:// if there is a certificate",
        arguments: [
            ("127.0.0.1:1", .tls(host: "127.0.0.1", port: 1)), ("https://[::]:1", .tls(host: "::", port: 1)),
            ("http://127.0.0.1:1", .tcp(host: "127.0.0.1", port: 1)), ("unix:/s", .unix(path: "/s")),
        ] as [(String, Listener)])
    func listenersWithCertificate(word: String, listener: Listener) throws {
        let configuration = try read("listen: ['\(word)', '0.0.0.0:2']\ntls: {certificate: c.pem, key: /k.pem}\n")
        #expect(configuration.server.listeners == [listener, .tls(host: "0.0.0.0", port: 2)])
        #expect(
            configuration.settings.certificateFiles
                == CertificateFiles(certificatePath: "/etc/c.pem", keyPath: "/k.pem"))
    }

    @Test("allows plain HTTP only from loopback and from trusted proxies")
    func plainPeers() throws {
        let configuration = try read("listen: 0.0.0.0:80\ntrusted_proxies: 10.0.0.0/8\n")
        #expect(configuration.server.listeners == [.tcp(host: "0.0.0.0", port: 80)])
        let rows = [("127.0.0.1", true), ("::1", true), ("10.1.2.3", true), ("11.1.2.3", false), ("::a00:1", false)]
        for (text, isAdmitted) in rows {
            let ip = try #require(IPAddress(text))
            #expect(configuration.server.admitsPlain(.ipv4(ip, port: 1)) == isAdmitted, "\(text)")
        }
        #expect(configuration.server.admitsPlain(.unix))
    }

    @Test("enables Strict-Transport-Security only if configured, and accepts trusted proxies only")
    func strictTransport() throws {
        #expect(try read("").server.strictTransport == nil)
        #expect(try read("tls: {hsts: none}").server.strictTransport == nil)
        let asked = try read("tls: {hsts: 180d}\ntrusted_proxies: 10.0.0.0/8\n").server.strictTransport
        #expect(asked?.maximumAge == .seconds(180 * 86_400))
        let (proxy, other) = (try #require(IPAddress("10.1.2.3")), try #require(IPAddress("127.0.0.1")))
        #expect(asked?.trustsForwarded(.ipv4(proxy, port: 1)) == true)
        #expect(asked?.trustsForwarded(.ipv4(other, port: 1)) == false)
        #expect(configurationErrors("tls: {hsts: yes}").count == 1)
    }

    @Test("reports contradictions with other mistakes, but none about an unreadable value")
    func contradictionsWithOtherErrors() {
        let both = configurationErrors("lisen: x\npasswords:\n  minimum_length: 99\n")
        #expect(both.count == 2)
        #expect(both.contains { $0.contains("line 3: passwords.minimum_length is greater") })
        #expect(configurationErrors("passwords:\n  minimum_length: 99\n  maximum_length: many\n").count == 1)
    }

    @Test(
        "refuses invalid values",
        arguments: [
            "listen: []", "listen: ''", "listen: 127.0.0.1", "listen: '::1:80'", "listen: '[127.0.0.1]:80'",
            "listen: 127.0.0.1:65536", "listen: 127.0.0.1:+1", "listen: 'unix:'", "listen: '*:80'",
            "sessions: {lifetime: 0s}", "sessions: {lifetime: -1d}", "sessions: {lifetime: 99999999999999999999d}",
            "limits: {body: 1MB}", "limits: {body: 0}", "limits: {body: 9999999999GiB}", "limits: {header: 16}",
            "dialects: {onyx: {prefix: api}}", "dialects: {onyx: {prefix: /api/}}", "dialects: {onyx: {prefix: /a b}}",
            "dialects: {onyx: {prefix: '/{id}'}}", "dialects: {onyx: {prefix: /../x}}", "database: /", "database: ''",
            "passwords: {argon2_memory: 1KiB}", "trusted_proxies: 300.0.0.1", "log: {format: xml}",
        ])
    func refused(file: String) {
        #expect(configurationErrors(file).count == 1)
    }

    @Test("lists every key with its own variable, and parses every listed default")
    func table() throws {
        #expect(Set(ConfigurationKey.all.map(\.variable)).count == ConfigurationKey.all.count)
        for key in ConfigurationKey.all where !key.defaultValue.contains(" ") && key.defaultValue != "none" {
            _ = try read(nil, [key.variable: key.defaultValue])
        }
        #expect(ConfigurationKey.listing().contains("sessions.lifetime"))
        #expect(ConfigurationKey.listing().contains("LATCHD_SESSIONS_LIFETIME\n    The lifetime of a session"))
    }
}
