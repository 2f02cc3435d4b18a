import HTTPClient
import HTTPMessages
import TestSupport

/// A browser as far as sign-in pages need one: cookies, redirects, pages that open an address by themselves, and forms.
final class FormBrowser {
    /// A page's form, read so far as it is filled in.
    struct Form {
        var action: String
        var fields: [(String, String)]
    }

    private let http: HTTPClient
    private var cookies: [(name: String, value: String)] = []

    init(_ http: HTTPClient) {
        self.http = http
    }

    /// Follows redirects and fills in every form with `answers`, until somebody sends the browser to `end`.
    ///
    /// - Returns: The address that begins with `end`.
    func follow(_ address: String, answers: [String: String], until end: String) async throws -> String {
        try await follow(address, answers) { next, _ in next?.hasPrefix(end) == true }
    }

    /// Follows redirects and fills in every form with `answers`, until a page contains `text`.
    ///
    /// - Returns: The page.
    func follow(_ address: String, answers: [String: String], untilPageWith text: String) async throws -> String {
        try await follow(address, answers) { _, page in page?.contains(text) == true }
    }

    /// Follows redirects and fills in forms until `isEnd` is true for the address of a redirect, or for a page.
    private func follow(
        _ address: String, _ answers: [String: String], until isEnd: (_ address: String?, _ page: String?) -> Bool
    ) async throws -> String {
        var request = ClientRequest(url: address)
        for _ in 0..<12 {
            let url = request.url
            let response = try await send(request)
            if response.status.isRedirect, let location = response.headers["Location"] {
                let next = Self.absolute(location, from: url)
                if isEnd(next, nil) { return next }
                request = ClientRequest(url: next)
                continue
            }
            let page = String(decoding: response.body, as: UTF8.self)
            if let next = Self.next(of: page).map({ Self.absolute($0, from: url) }) {
                if isEnd(next, nil) { return next }
                request = ClientRequest(url: next)
                continue
            }
            if isEnd(nil, page) { return page }
            guard response.status == .ok, let form = Self.form(in: page, answers) else {
                throw ChildProcess.Failure("\(response.status) from \(url): \(page.prefix(1_000))")
            }
            request = ClientRequest(
                method: .post, url: Self.absolute(form.action, from: url),
                headers: [
                    "Content-Type": FormURLEncoded.mediaType, "Referer": url, "Origin": Self.origin(of: url),
                ],
                body: Array(FormURLEncoded.encode(form.fields).utf8))
        }
        throw ChildProcess.Failure("The provider never sends the browser back.")
    }

    private func send(_ request: ClientRequest) async throws -> ClientResponse {
        var request = request
        request.headers["Cookie"] = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        let response = try await http.send(request)
        for line in response.headers.values("Set-Cookie") {
            let halves = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = halves.first else { continue }
            cookies.removeAll { $0.name == name }
            cookies.append((name, halves.count == 2 ? halves[1] : ""))
        }
        return response
    }

    /// The address that a page opens by itself.
    static func next(of page: String) -> String? {
        page.components(between: "<meta http-equiv=\"refresh\" content=\"0;url=", and: "\"").first?.decodingEntities
    }

    private static func absolute(_ address: String, from page: String) -> String {
        if address.contains("://") { return address }
        return address.isEmpty ? page : origin(of: page) + address
    }

    private static func origin(of page: String) -> String {
        page.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
    }

    /// The form that posts: hidden fields as they are, and what is asked as `answers` says. A button or a box counts when its
    /// value is the answer, or any is wanted.
    private static func form(in page: String, _ answers: [String: String]) -> Form? {
        for piece in page.components(between: "<form", and: "</form>") {
            let head = attributes(String(piece.prefix { $0 != ">" }))
            guard head["method"]?.lowercased() == "post" else { continue }
            let tags = piece.components(between: "<input", and: ">") + piece.components(between: "<button", and: ">")
            var fields: [(String, String)] = []
            for tag in tags.map(attributes) {
                guard let name = tag["name"] else { continue }
                let value = tag["value"] ?? ""
                switch tag["type"] {
                case "hidden": fields.append((name, value))
                case "submit", "checkbox":
                    if answers[name] == value || answers[name] == "*" { fields.append((name, value)) }
                default: if let response = answers[name] { fields.append((name, response)) }
                }
            }
            return Form(action: head["action"] ?? "", fields: fields)
        }
        return nil
    }

    private static func attributes(_ tag: String) -> [String: String] {
        var found: [String: String] = [:]
        for part in tag.matches(of: /([A-Za-z-]+)\s*=\s*"([^"]*)"/) {
            found[String(part.1).lowercased()] = String(part.2).decodingEntities
        }
        return found
    }
}

extension String {
    /// What stands between each `start` and the next `end`.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let head = rest.firstRange(of: start), let tail = rest[head.upperBound...].firstRange(of: end) {
            found.append(String(rest[head.upperBound..<tail.lowerBound]))
            rest = rest[tail.upperBound...]
        }
        return found
    }

    fileprivate var decodingEntities: String {
        [
            ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"),
            ("&amp;", "&"),
        ]
        .reduce(self) { $0.replacing($1.0, with: $1.1) }
    }
}
