import Crypto
import Redis
import TestSupport
import Testing

@testable import LatchGateway
@testable import SignInBridge

@Suite("Codes in Redis", .timeLimit(.minutes(20)))
struct RedisCodeStoreTests {
    @Test("OX-4 OX-15 only one of two gateways can redeem a code, and only before it expires")
    func conformance() async throws {
        let server = try await RedisServer()
        let clock = RedisClock(try RedisClient(RedisSettings(url: server.url)))
        try await checkCodeStore(try store(on: server), beside: try store(on: server)) { try await clock.advance($0) }
    }

    @Test("a Redis key does not reveal its code, and Redis expires it")
    func keys() async throws {
        let server = try await RedisServer()
        let redis = try RedisClient(RedisSettings(url: server.url))
        let digest = SHA256.digest("the code")
        try await store(on: server).save([1], under: digest, for: .seconds(60), of: nil)

        let name = "latch:code:\(digest.hexadecimal)"
        #expect(try await redis.run(RedisCommand("KEYS", "*")) == .array([.bytes(Array(name.utf8))]))
        guard case .integer(let left) = try await redis.run(RedisCommand("PTTL", name)) else {
            Issue.record("A key without a time to live.")
            return
        }
        #expect((1...60_000).contains(left))
    }

    @Test("OX-15 without Redis every use fails with a clear error, until Redis is back")
    func outage() async throws {
        let server = try await RedisServer()
        let store = try store(on: server)
        try await store.save([1], under: SHA256.digest("a"), for: .seconds(60), of: nil)
        await server.stop()

        let consumeError = await #expect(throws: RedisError.self) { try await store.consume(SHA256.digest("a")) }
        #expect(consumeError?.code == .unreachable)
        let storeError = await #expect(throws: RedisError.self) {
            try await store.save([1], under: SHA256.digest("b"), for: .seconds(60), of: nil)
        }
        #expect(storeError?.message.contains(server.socketPath) == true)

        try await server.start()
        // Tried again 2 s after the last failure at the latest.
        while (try? await store.consume(SHA256.digest("a"))) == nil, !Task.isCancelled {
            if (try? await store.save([2], under: SHA256.digest("a"), for: .seconds(60), of: nil)) == nil {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("a Redis version that is too old is reported with the remedy")
    func oldVersion() async throws {
        let server = try await RedisServer("rename-command GETDEL \"\"")
        let store = try store(on: server)
        let error = await #expect(throws: RedisError.self) { try await store.consume(SHA256.digest("a")) }
        #expect(error?.message == "Redis refused GETDEL: the gateway needs Redis 6.2 or newer.")
    }

    private func store(on server: RedisServer) throws -> RedisCodeStore {
        RedisCodeStore(try RedisClient(RedisSettings(url: server.url)))
    }
}

/// Lets time pass for every key of a Redis server, by taking it from what each has left.
struct RedisClock {
    private let redis: RedisClient

    init(_ redis: RedisClient) {
        self.redis = redis
    }

    func advance(_ seconds: Double) async throws {
        guard case .array(let names) = try await redis.run(RedisCommand("KEYS", "*")) else { return }
        for case .bytes(let name) in names {
            guard case .integer(let left) = try await redis.run(RedisCommand("PTTL", [name])), left >= 0 else {
                continue
            }
            let rest = "\(left - Int64(seconds * 1_000))"
            _ = try await redis.run(RedisCommand("PEXPIRE", [name, Array(rest.utf8)]))
        }
    }
}
