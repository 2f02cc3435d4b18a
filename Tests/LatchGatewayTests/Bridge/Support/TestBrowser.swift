import HTTPMessages
import Synchronization

/// A browser as far as a sign-in needs one: it keeps cookies and sends them back.
final class TestBrowser: Sendable {
    private let http: Exchange
    private let jar = Mutex<[String: String]>([:])

    init(_ http: Exchange) {
        self.http = http
    }

    /// The cookies that it would send.
    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    /// Asks for a page, or posts a form.
    func send(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Exchange.Response {
        let cookie = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let own = [("Accept", "text/html,*/*;q=0.8")] + (cookie.isEmpty ? [] : [("Cookie", cookie)])
        let response = try await http.send(method, path, headers: own + headers, body: body)
        for field in response.headers.values("Set-Cookie") { save(field) }
        return response
    }

    private func save(_ field: String) {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        guard let name = pair.first.map(String.init) else { return }
        let isGone = field.contains("; Max-Age=0;")
        jar.withLock { $0[name] = isGone ? nil : pair.dropFirst().first.map(String.init) ?? "" }
    }
}
