package import HTTPServer
import Synchronization
import Wire

/// An OpenID provider on a port of its own that does what a ``ProviderScript`` says, wrong or right.
///
/// Everything it is not told to do wrong it does strictly: codes serve once, and only with the right client, redirect and
/// verifier. Each person who comes is the same, `ada@example.org`, and agrees at once.
package final class ScriptedProvider: Sendable {
    /// The client's name here.
    package static let clientID = "latch client:1"
    /// The client's secret here; both hold characters that the header must have form-encoded.
    package static let clientSecret = "se+cret of/the=client&1:%"
    /// The person's name here.
    package static let subject = "248289761001"
    /// The person's e-mail address.
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

    /// What the provider remembers of one code.
    struct Grant: Sendable {
        var clientID: String
        var redirect: String
        var challenge: String
        var nonce: String?
    }

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - script: What it does wrong.
    ///   - seconds: Its clock, in seconds since 1970; it stands still.
    ///   - credentials: Its certificate; without one it speaks plain HTTP. Its name is then `localhost`.
    /// - Returns: The provider; it serves until ``stop()``.
    /// - Throws: `HTTPServerError` or `JOSEError`.
    package static func start(
        _ script: ProviderScript = ProviderScript(), at seconds: Double, credentials: TLSCredentials? = nil
    ) async throws -> ScriptedProvider {
        let provider = ScriptedProvider(State(script: script, keys: try ProviderKeys(), seconds: seconds))
        var router = Router()
        for path in paths {
            router.on(.get, path) { provider.answer($0) }
            router.on(.post, path) { provider.answer($0) }
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

    /// The provider's name for itself.
    package var issuer: String { state.withLock { $0.issuer } }

    /// Stops the provider.
    package func stop() async {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        await server?.stop(drain: .seconds(0))
    }

    /// The paths that were asked for, in order.
    package var requests: [String] { state.withLock { $0.requests } }

    /// Does from now on what another script says; what is remembered stays.
    package func follow(_ script: ProviderScript) {
        state.withLock { $0.script = script }
    }

    /// Changes the keys, when the script has the change between two sign-ins.
    package func finishFirstSignIn() throws {
        try state.withLock { state in
            if state.script.rotation == .betweenSignIns { try state.keys.rotate() }
        }
    }
}
