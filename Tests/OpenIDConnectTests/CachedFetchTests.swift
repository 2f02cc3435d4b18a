import HTTPMessages
import HTTPServer
import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

/// What is fetched once and held, and how a provider that is down comes back.
@Suite(.timeLimit(.minutes(20))) struct CachedFetchTests {
    @Test("Concurrent calls fetch discovery and keys once")
    func concurrentCalls() async throws {
        let signIn = try await SignIn(ProviderScript())

        let identities = try await withThrowingTaskGroup(of: ProviderIdentity.self) { group in
            for _ in 0..<40 { group.addTask { try await signIn.identity() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(identities.count == 40)
        let requests = signIn.provider.requests
        #expect(requests.count { $0 == "/.well-known/openid-configuration" } == 1)
        #expect(requests.count { $0 == "/keys" } == 1)
        await signIn.stop()
    }

    @Test("A provider's metadata are cached for an hour, and then fetched again")
    func lifetime() async throws {
        let signIn = try await SignIn(ProviderScript())

        _ = try await signIn.identity()
        signIn.wait(.seconds(3599))
        _ = try await signIn.identity()
        #expect(signIn.provider.requests.count { $0 == "/keys" } == 1)

        signIn.wait(.seconds(2))
        _ = try await signIn.identity()
        #expect(signIn.provider.requests.count { $0 == "/keys" } == 2)
        #expect(signIn.provider.requests.count { $0 == "/.well-known/openid-configuration" } == 2)
        await signIn.stop()
    }

    @Test("Tokens with unknown keys cause the keys to be fetched again, at most once in ten seconds")
    func unknownKeys() async throws {
        let signIn = try await SignIn(ProviderScript { $0.signing = .otherKey })

        for _ in 0..<10 { await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() } }
        #expect(signIn.provider.requests.count { $0 == "/keys" } == 2)

        signIn.wait(.seconds(10))
        for _ in 0..<10 { await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() } }
        #expect(signIn.provider.requests.count { $0 == "/keys" } == 3)
        await signIn.stop()
    }

    @Test("A key that is withdrawn is not trusted longer than an hour")
    func withdrawnKey() async throws {
        let signIn = try await SignIn(ProviderScript())
        _ = try await signIn.identity()
        signIn.provider.follow(ProviderScript { $0.replacements["/keys"] = { _ in .json(["keys": []] as JSONValue) } })

        signIn.wait(.seconds(3600))

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }
        #expect(error?.code == .invalidToken)
        await signIn.stop()
    }

    @Test("A failing provider is reported clearly, not requested for three seconds, and then tried again")
    func failingProvider() async throws {
        let discovery = "/.well-known/openid-configuration"
        let broken = ProviderScript {
            $0.replacements[discovery] = { _ in ServerResponse(status: .serviceUnavailable) }
        }
        let signIn = try await SignIn(broken)

        for _ in 0..<5 {
            let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("503") == true)
        }
        #expect(signIn.provider.requests.count { $0 == discovery } == 1)
        signIn.provider.follow(ProviderScript())
        signIn.wait(.seconds(3))

        #expect(try await signIn.identity().subject == ScriptedProvider.subject)
        await signIn.stop()
    }

    @Test("A failed fetch of the keys does not affect the cached metadata, and is tried again")
    func failingKeys() async throws {
        let signIn = try await SignIn(
            ProviderScript { $0.replacements["/keys"] = { _ in ServerResponse(status: .serviceUnavailable) } })

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }
        #expect(error?.code == .unreachable)
        signIn.provider.follow(ProviderScript())
        signIn.wait(.seconds(3))

        #expect(try await signIn.identity().subject == ScriptedProvider.subject)
        #expect(signIn.provider.requests.count { $0 == "/.well-known/openid-configuration" } == 1)
        await signIn.stop()
    }

    @Test("A provider with a closed port is reported with the port")
    func closedPort() async throws {
        let socket = try HeldPort()
        let signIn = try await SignIn(ProviderScript()) { $0.issuer = "http://127.0.0.1:\(socket.number)" }

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }

        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("nothing listens") == true)
        await signIn.stop()
    }

    @Test("A provider that never responds fails after the configured time-out")
    func unresponsiveProvider() async throws {
        let socket = try SilentServer()
        let signIn = try await SignIn(ProviderScript()) {
            $0.issuer = "http://127.0.0.1:\(socket.port)"
            $0.timeout = .milliseconds(300)
        }

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.party.metadata() }

        #expect(error?.code == .unreachable)
        await signIn.stop()
    }
}
