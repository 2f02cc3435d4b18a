import CLibrary
import Crypto
import Redis
import TestSupport
import Testing

@Suite("Redis", .timeLimit(.minutes(20)))
struct RedisClientTests {
    @Test("commands carry arbitrary bytes, and the types of replies are distinguished")
    func replies() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        let bytes: [UInt8] = [0, 13, 10, 36, 255, 0]
        let name = Array("key".utf8)

        #expect(try await client.run(RedisCommand("SET", [name, bytes])) == .status("OK"))
        #expect(try await client.run(RedisCommand("GET", "key")) == .bytes(bytes))
        #expect(try await client.run(RedisCommand("SET", [name, [], Array("NX".utf8)])) == .nothing)
        #expect(try await client.run(RedisCommand("SET", [name, []])) == .status("OK"))
        #expect(try await client.run(RedisCommand("GET", "key")) == .bytes([]))
        #expect(try await client.run(RedisCommand("GET", "none")) == .nothing)
        #expect(try await client.run(RedisCommand("DEL", "key", "none")) == .integer(1))
        #expect(try await client.run(RedisCommand("MGET", "a", "b")) == .array([.nothing, .nothing]))
    }

    @Test("a million bytes are sent and received completely")
    func large() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        let bytes = patternBytes(1_000_000)
        _ = try await client.run(RedisCommand("SET", [[1], bytes]))
        #expect(try await client.run(RedisCommand("GET", [[1]])) == .bytes(bytes))
    }

    @Test("an error of Redis has its first word, and nothing of the command's data")
    func refusal() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        let error = try #require(await error { _ = try await client.run(RedisCommand("NONSENSE", "hunter2-hunter2")) })
        #expect(error.code == .refused)
        #expect(error.reason == "ERR")
        #expect(error.message == "Redis refused the command NONSENSE with the error ERR.")
        #expect(try await client.run(RedisCommand("PING")) == .status("PONG"))
    }

    @Test("ten thousand concurrent callers each get their own reply")
    func many() async throws {
        let server = try await RedisServer()
        var settings = try RedisSettings(url: server.url)
        settings.maximumWaiting = 10_000
        settings.commandTimeout = SuccessTimeout.duration
        let client = try RedisClient(settings)
        try await withThrowingTaskGroup { group in
            for number in 0..<10_000 {
                group.addTask {
                    try await client.run(RedisCommand("ECHO", "\(number)")) == .bytes(Array("\(number)".utf8))
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }

    @Test("commands above the limit of waiting ones are refused at once")
    func busy() async throws {
        let server = try await RedisServer()
        var settings = try RedisSettings(url: server.url)
        settings.maximumWaiting = 2
        let client = try RedisClient(settings)
        _ = try await client.run(RedisCommand("PING"))
        server.send(SIGSTOP)
        defer { server.send(SIGCONT) }
        let codes = await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await error { _ = try await client.run(RedisCommand("PING")) }?.code } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.contains(.busy))
        #expect(codes.contains(.timedOut))
    }

    @Test("a port is used like a socket")
    func port() async throws {
        let server = try await RedisServer(hasPort: true)
        let client = try RedisClient(RedisSettings(url: "redis://127.0.0.1:\(try #require(server.port))"))
        #expect(try await client.run(RedisCommand("PING")) == .status("PONG"))
    }

    @Test("a password and a database are used")
    func signIn() async throws {
        let server = try await RedisServer("requirepass hunter2-hunter2")
        let client = try RedisClient(RedisSettings(url: server.url + "?db=3", password: Secret("hunter2-hunter2")))
        _ = try await client.run(RedisCommand("SET", "a", "b"))
        guard case .bytes(let info) = try await client.run(RedisCommand("INFO", "keyspace")) else {
            Issue.record("INFO answers with bytes.")
            return
        }
        #expect(String(decoding: info, as: UTF8.self).contains("db3:keys=1"))
    }

    @Test("a user and a password are used")
    func user() async throws {
        let server = try await RedisServer("user default off", "user latch on >hunter2-hunter2 ~latch:* +@all")
        let url = server.url.replacing("unix:", with: "unix://latch@")
        let client = try RedisClient(RedisSettings(url: url, password: Secret("hunter2-hunter2")))
        #expect(try await client.run(RedisCommand("SET", "latch:a", "b")) == .status("OK"))
        let error = try #require(await error { _ = try await client.run(RedisCommand("SET", "other", "b")) })
        #expect(error.reason == "NOPERM")
    }

    @Test(
        "a failed sign-in is reported with its reason",
        arguments: [(nil, "NOAUTH"), (Secret("wrong"), "WRONGPASS")] as [(Secret?, String)])
    func wrongSignIn(_ password: Secret?, _ reason: String) async throws {
        let server = try await RedisServer("requirepass hunter2-hunter2")
        let client = try RedisClient(RedisSettings(url: server.url, password: password))
        let error = try #require(await error { _ = try await client.run(RedisCommand("PING")) })
        #expect(error.code == .unreachable)
        #expect(error.reason == reason)
        #expect(error.message.contains(reason) && error.message.contains(server.socketPath))
    }

    @Test("a missing database is reported")
    func wrongDatabase() async throws {
        let server = try await RedisServer("databases 2")
        let client = try RedisClient(RedisSettings(url: server.url + "?db=2"))
        let error = try #require(await error { _ = try await client.run(RedisCommand("PING")) })
        #expect(error.message.contains("the database 2"))
    }

    @Test("a closed client refuses commands")
    func closed() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        _ = try await client.run(RedisCommand("PING"))
        client.close()
        let error = await error { _ = try await client.run(RedisCommand("PING")) }
        #expect(error?.code == .closed)
    }
}

/// The error that `body` throws; nil when it throws none.
func error(_ body: () async throws -> Void) async -> RedisError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? RedisError
    }
}
