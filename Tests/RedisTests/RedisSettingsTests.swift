import Crypto
import Redis
import TestSupport
import Testing

@Suite("Settings of Redis")
struct RedisSettingsTests {
    @Test(
        "URLs are parsed",
        arguments: [
            ("redis://localhost", RedisSettings.Address.host("localhost", port: 6379), 0, nil),
            ("redis://127.0.0.1:7000/3", .host("127.0.0.1", port: 7000), 3, nil),
            ("REDIS://[::1]:7000/", .host("::1", port: 7000), 0, nil),
            ("redis://[::1]", .host("::1", port: 6379), 0, nil),
            ("redis://latch@localhost:6380/1", .host("localhost", port: 6380), 1, "latch"),
            ("unix:/run/redis/redis.sock", .socket(path: "/run/redis/redis.sock"), 0, nil),
            ("unix:///run/redis.sock?db=15", .socket(path: "/run/redis.sock"), 15, nil),
            ("unix://a%40b@/run/r%20s?db=2", .socket(path: "/run/r s"), 2, "a@b"),
        ] as [(String, RedisSettings.Address, Int, String?)])
    func urls(_ url: String, _ address: RedisSettings.Address, _ database: Int, _ user: String?) throws {
        let settings = try RedisSettings(url: url, password: Secret("secret"))
        #expect(settings.address == address)
        #expect(settings.database == database)
        #expect(settings.user == user)
    }

    @Test(
        "invalid URLs are refused without being repeated",
        arguments: [
            "", "redis", "redis:", "redis:localhost", "http://localhost", "redis://", "redis://localhost:0",
            "redis://localhost:65536", "redis://localhost:x", "redis://localhost/x", "redis://localhost/-1",
            "redis://@localhost", "redis://[::1", "redis://[::1]x", "redis://[x]", "redis://a b", "redis://a\n",
            "redis://localhost/0/1", "unix:", "unix:/", "unix:run/x", "unix://host/run/x", "unix:/run/x?database=1",
            "unix:/run/x?db=", "unix:/run/%00", "unix:/run/%zz", "unix:/" + String(repeating: "x", count: 107),
            "redis://:hunter2-hunter2@localhost", "redis://latch:hunter2-hunter2@localhost",
            "unix://:hunter2-hunter2@/run/x",
        ])
    func refusals(_ url: String) throws {
        let error = try #require(throws: RedisError.self) { try RedisSettings(url: url) }
        #expect(error.code == .misconfigured)
        #expect(!error.message.leaks("hunter2-hunter2"))
    }

    @Test("a password in the URL is refused with the remedy")
    func password() throws {
        let error = try #require(throws: RedisError.self) {
            try RedisSettings(url: "redis://:hunter2-hunter2@localhost")
        }
        #expect(error.message.contains("store that in a file"))
    }

    @Test("a user without a password is refused")
    func userAlone() throws {
        let error = try #require(throws: RedisError.self) { try RedisSettings(url: "redis://latch@localhost") }
        #expect(error.message.contains("needs a password"))
    }

    @Test("another machine is refused unless it is allowed", arguments: ["10.0.0.7", "[2001:db8::1]", "redis.example"])
    func otherMachines(_ host: String) throws {
        let error = try #require(throws: RedisError.self) { try RedisSettings(url: "redis://\(host):6379") }
        #expect(error.code == .misconfigured)
        #expect(error.message.contains("is not encrypted"))
        _ = try RedisSettings(url: "redis://\(host):6379", allowsPlainText: true)
    }

    @Test("TLS is refused with the remedy")
    func tls() throws {
        let error = try #require(throws: RedisError.self) { try RedisSettings(url: "rediss://localhost") }
        #expect(error.message.contains("TLS"))
    }
}
