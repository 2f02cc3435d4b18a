import CLibrary
import Redis
import TestSupport
import Testing

@Suite("Redis outages", .timeLimit(.minutes(20)))
struct RedisOutageTests {
    @Test("OX-15 after a restart between two commands the server is used without an error")
    func restarted() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        for _ in 0..<3 {
            #expect(try await client.run(RedisCommand("PING")) == .status("PONG"))
            await server.stop()
            try await server.start()
        }
        #expect(try await client.run(RedisCommand("PING")) == .status("PONG"))
    }

    @Test("OX-15 an outage is reported at once, and the server is used again when it is back")
    func outage() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        _ = try await client.run(RedisCommand("PING"))
        await server.stop()

        for _ in 0..<5 {
            let error = try #require(await error { _ = try await client.run(RedisCommand("PING")) })
            #expect(error.code == .unreachable)
            #expect(error.message.hasPrefix("Could not connect to Redis at '\(server.socketPath)': "))
        }

        try await server.start()
        // It tries again 2 s after its last failure at the latest.
        while await error({ _ = try await client.run(RedisCommand("PING")) }) != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("a closed port is reported")
    func refused() async throws {
        let server = try await RedisServer(hasPort: true)
        let port = try #require(server.port)
        await server.stop()
        let client = try RedisClient(RedisSettings(url: "redis://127.0.0.1:\(port)"))
        let error = try #require(await error { _ = try await client.run(RedisCommand("PING")) })
        #expect(error.message == "Could not connect to Redis at '127.0.0.1:\(port)': Connection refused.")
    }

    @Test("a hanging server delays a caller by at most its time limit, and the next callers not at all")
    func hung() async throws {
        let server = try await RedisServer()
        var settings = try RedisSettings(url: server.url)
        settings.commandTimeout = .seconds(1)
        settings.connectTimeout = .seconds(1)
        let client = try RedisClient(settings)
        _ = try await client.run(RedisCommand("PING"))
        server.send(SIGSTOP)

        let first = await error { _ = try await client.run(RedisCommand("PING")) }
        #expect(first?.code == .timedOut)
        let second = await error { _ = try await client.run(RedisCommand("PING")) }
        #expect(second?.code == .unreachable)

        server.send(SIGCONT)
        while await error({ _ = try await client.run(RedisCommand("PING")) }) != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("a server that ends during a command causes an error that says so")
    func connectionLostDuringCommand() async throws {
        let server = try await RedisServer()
        let client = try RedisClient(RedisSettings(url: server.url))
        _ = try await client.run(RedisCommand("PING"))
        server.send(SIGSTOP)
        async let response = error { _ = try await client.run(RedisCommand("PING")) }
        await server.stop()
        let error = try #require(await response)
        // The command was either on its way already or found the connection closed.
        #expect([.lost, .unreachable].contains(error.code), "\(error)")
    }

    @Test(
        "an invalid Redis reply is an error and does not trap",
        arguments: [
            "", "\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "$-7\r\n", "$9999999999999999999\r\n", "*99999999999\r\n",
            "*-3\r\n", ":\r\n", ":x\r\n", "+OK", "$5\r\nab", "$2\r\nabcd\r\n",
            String(repeating: "*1\r\n", count: 20) + ":1\r\n",
        ])
    func garbage(_ response: String) async throws {
        let server = try ScriptedServer(response)
        var settings = RedisSettings(.socket(path: server.socketPath))
        settings.connectTimeout = .seconds(1)
        let client = try RedisClient(settings)
        let error = try #require(await error { _ = try await client.run(RedisCommand("PING")) })
        #expect(error.code == .unreachable)
    }
}
