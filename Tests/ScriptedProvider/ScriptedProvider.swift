import HTTPMessages
package import HTTPServer
import Synchronization

/// An OpenID provider on its own port whose behaviour follows a ``ProviderScript``.
///
/// Everything that the script does not change is strict: a code can be used once, and only with the correct client,
/// redirect URI and verifier. There is one person, `ada@example.org`, who always consents immediately.
package final class ScriptedProvider: Sendable {
    /// The client id.
    package static let clientID = "latch client:1"
    /// The client secret. The id and the secret contain characters that must be form-encoded in the header field.
    package static let clientSecret = "se+cret of/the=client&1:%"
    /// The `sub` claim of the person.
    package static let subject = "248289761001"
    /// The e-mail address of the person.
    package static let email = "ada@example.org"

    let state: Mutex<State>

    struct State: Sendable {
        var server: HTTPServer?
        var issuer = ""
        var script: ProviderScript
        var keys: ProviderKeys
        var codes: [String: Grant] = [:]
        var accessTokens: Set<String> = []
        var made = 0
        var requests: [String] = []
        var seconds: Double
    }

    /// The data that the provider stores for a code.
    struct Grant: Sendable {
        var clientID: String
        var redirect: String
        var challenge: String
        var nonce: String?
    }

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - script: The behaviour of the provider.
    ///   - seconds: The fixed time of its clock, in seconds since 1970.
    ///   - credentials: The TLS credentials. With them the host name is `localhost`. Nil, the default, for plain HTTP
    ///     on 127.0.0.1.
    /// - Returns: The provider, which runs until ``stop()``.
    /// - Throws: `HTTPServerError` or `JOSEError`.
    package static func start(
        _ script: ProviderScript = ProviderScript(), at seconds: Double, credentials: TLSCredentials? = nil
    ) async throws -> ScriptedProvider {
        let provider = ScriptedProvider(State(script: script, keys: try ProviderKeys(), seconds: seconds))
        var router = Router()
        for path in paths {
            router.on(.get, path) { provider.response($0) }
            router.on(.post, path) { provider.response($0) }
        }
        let listener: Listener =
            credentials == nil ? .tcp(host: "127.0.0.1", port: 0) : .tls(host: "127.0.0.1", port: 0)
        var configuration = HTTPServer.Configuration(listeners: [listener], loops: 1)
        configuration.credentials = credentials
        let server = try await HTTPServer.start(configuration, router: router)
        let port = server.addresses.first?.port.map(Int.init) ?? 0
        provider.state.withLock { state in
            state.server = server
            state.issuer = credentials == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
        }
        return provider
    }

    private init(_ state: sending State) {
        self.state = Mutex(state)
    }

    /// The issuer of the provider.
    package var issuer: String { state.withLock { $0.issuer } }

    /// Stops the provider.
    package func stop() async {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        await server?.stop(drain: .seconds(0))
    }

    /// The requested paths, in order.
    package var requests: [String] { state.withLock { $0.requests } }

    /// Replaces the script. The state of the provider is kept.
    package func follow(_ script: ProviderScript) {
        state.withLock { $0.script = script }
    }

    /// Rotates the keys, if the script rotates them between two sign-ins.
    package func finishFirstSignIn() throws {
        try state.withLock { state in
            if state.script.rotation == .betweenSignIns { try state.keys.rotate() }
        }
    }
}
