import HTTPMessages
import Synchronization
import Testing

/// A browser as far as a sign-in needs one: it keeps cookies and sends them back. It records an issue where Chromium
/// would block a form.
final class TestBrowser: Sendable {
    let http: Exchange
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
        #expect(method != "POST" || Self.staysHere(response), "POST \(path) leads to \(response.next ?? "")")
        #expect(Self.limitsForms(response), "\(method) \(path) has another form-action")
        return response
    }

    /// Whether the response to a form is no redirect, or one to a page of the gateway that redirects nowhere else.
    /// Chromium blocks other redirects, because of the policy `form-action 'self'` of the page with the form.
    private static func staysHere(_ response: Exchange.Response) -> Bool {
        guard let location = response.headers["Location"] else { return true }
        return location.hasPrefix("/latch/") && !location.hasPrefix("/latch/sign-in/done")
    }

    /// Whether a page has the policy `form-action 'self'`, or `'none'`. Only a page with a form for another server has
    /// none, because that server may redirect anywhere.
    private static func limitsForms(_ response: Exchange.Response) -> Bool {
        guard let policy = response.headers["Content-Security-Policy"] else { return true }
        let isForOthers = response.text.contains(/<form method="post" action="[a-z.]+:/)
        return isForOthers
            ? !policy.contains("form-action")
            : policy.contains(" form-action 'self';") || policy.contains(" form-action 'none';")
    }

    private func save(_ field: String) {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        guard let name = pair.first.map(String.init) else { return }
        let isGone = field.contains("; Max-Age=0;")
        jar.withLock { $0[name] = isGone ? nil : pair.dropFirst().first.map(String.init) ?? "" }
    }
}
