import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import SignInBridge

/// The authorization requests that wait, each under a random handle.
///
/// A request that a browser has opened is sealed in a cookie of that browser, so nobody else can end the sign-in, and any
/// gateway with the same keys continues it. The server stores only what the browser cannot keep: requests that clients
/// push, and those that are too long, or too many, for the cookies of the browser.
struct PendingRequests: Sendable {
    let store: WaitingRequestStore
    let keys: BridgeKeys
    let proxies: TrustedProxies
    /// The path that the cookies are sent to.
    let path: String
    /// Whether browsers use `https`.
    let isSecure: Bool
    let now: @Sendable () -> Date

    /// The maximum length of all cookies of requests in one browser, in bytes. It leaves 5 KiB of the header for the
    /// address, the session and what else browsers send.
    static let maximumCookieBytes = 3_072

    /// A request that waits.
    struct Kept: Sendable {
        /// The handle.
        let handle: String
        /// The value of `Set-Cookie` if the browser keeps the request. Nil if the server stores it.
        let cookie: String?
    }

    /// Stores a request of a client until it expires.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - owner: Whose share it takes.
    /// - Returns: The handle.
    /// - Throws: `DatabaseError`; `CryptoError`.
    func push(_ request: PendingRequest, of owner: WaitingRequestStore.Owner) async throws -> String {
        let code = OneTimeCode()
        try await save(request, under: code, of: owner)
        return code.text
    }

    /// Keeps a request until the browser returns to it, in the browser or else in the store.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - handle: Its handle. Nil for a new one.
    ///   - browser: The browser's own request.
    /// - Returns: The handle, and the cookie if the browser keeps the request.
    /// - Throws: `DatabaseError`; `CryptoError`.
    func keep(_ request: PendingRequest, as handle: String?, for browser: ServerRequest) async throws -> Kept {
        let code = handle.map { OneTimeCode($0) } ?? OneTimeCode()
        let name = name(of: code)
        let value = Base64URL.encode(try request.sealed(keys.state, for: code.key.bytes))
        let others = Cookies.of(browser, prefix: prefix).filter { prefix + $0.rest != name }
        let size = others.reduce(name.utf8.count + value.utf8.count) {
            $0 + prefix.utf8.count + $1.rest.utf8.count + $1.value.utf8.count
        }
        guard size <= Self.maximumCookieBytes else {
            try await save(request, under: code, of: .address(proxies.client(of: browser)))
            return Kept(handle: code.text, cookie: nil)
        }
        return Kept(handle: code.text, cookie: setting(name, value, for: left(of: request)))
    }

    /// Returns a request. One that the server stores is removed. Nil when there is none with this handle, it has expired,
    /// or another browser keeps it.
    ///
    /// - Throws: `DatabaseError`.
    func take(_ handle: String, from browser: ServerRequest) async throws -> PendingRequest? {
        let code = OneTimeCode(handle)
        for box in boxes(of: code, in: browser) {
            if let request = open(box, code) { return request }
        }
        return try await store.consume(code.key).flatMap { open($0, code) }
    }

    /// Returns the response of `work`, which uses up a request. If it does not keep the request again, the browser's
    /// cookie is deleted.
    func usingUp(
        _ handle: String, from browser: ServerRequest, _ work: () async throws -> ServerResponse
    ) async throws -> ServerResponse {
        var response = try await work()
        let (code, name) = (OneTimeCode(handle), name(of: OneTimeCode(handle)))
        let isKept = response.headers.values("Set-Cookie").contains { $0.hasPrefix(name + "=") }
        if !isKept, !boxes(of: code, in: browser).isEmpty {
            response.headers.append("Set-Cookie", setting(name, "", for: .zero))
        }
        return response
    }

    private func save(
        _ request: PendingRequest, under code: OneTimeCode, of owner: WaitingRequestStore.Owner
    ) async throws {
        try await store.save(
            try request.sealed(keys.state, for: code.key.bytes), under: code.key, for: left(of: request), of: owner)
    }

    private func open(_ box: [UInt8], _ code: OneTimeCode) -> PendingRequest? {
        let request = PendingRequest(opening: box, keys.state, for: code.key.bytes)
        return request.flatMap { now() < $0.expires ? $0 : nil }
    }

    private func boxes(of code: OneTimeCode, in browser: ServerRequest) -> [[UInt8]] {
        let name = name(of: code)
        return Cookies.of(browser, prefix: prefix).filter { prefix + $0.rest == name }
            .compactMap { Base64URL.decode($0.value) }
    }

    private func left(of request: PendingRequest) -> Duration {
        .seconds(max(0, request.expires.timeIntervalSince(now())))
    }

    private func setting(_ name: String, _ value: String, for age: Duration) -> String {
        Cookies.set(name, value, maximumAge: age, sameSite: .lax, isSecure: isSecure, path: path)
    }

    // `__Host-` would send the cookies to every path.
    private var prefix: String { isSecure ? "__Secure-latchd-request-" : "latchd-request-" }

    /// The name has the beginning of the handle's hash. The handle itself opens the box.
    private func name(of code: OneTimeCode) -> String { prefix + Base64URL.encode(Array(code.key.bytes.prefix(9))) }
}
