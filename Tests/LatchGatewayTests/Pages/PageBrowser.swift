import FoundationEssentials
import HTTPMessages
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayPages
@testable import LatchGateway
@testable import SignInBridge

/// A browser in front of the gateway's pages: it keeps cookies, sends the fields that are in a form, and says where its
/// requests come from.
struct PageBrowser: Sendable {
    let browser: TestBrowser

    init(_ fixture: GatewayFixture) {
        browser = TestBrowser(fixture.http)
    }

    private init(_ http: Exchange) {
        browser = TestBrowser(http)
    }

    /// Another browser at the same gateway, without cookies.
    var another: PageBrowser { PageBrowser(browser.http) }

    func get(_ path: String) async throws -> Exchange.Response {
        try await browser.send("GET", path, headers: [("Sec-Fetch-Site", "none")])
    }

    /// Posts a form as the page at `page` has it, with what the person typed.
    func submit(
        _ path: String, on page: String, _ typed: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let text = try await get(page).text
        let form = try Self.form(path, in: text).orThrow
        let hidden = Self.hiddenFields(of: form).filter { field in !typed.contains { $0.0 == field.0 } }
        return try await post(path, hidden + typed)
    }

    /// Posts a form and confirms the question that it leads to.
    func submitAndConfirm(
        _ path: String, on page: String, _ typed: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let question = try await submit(path, on: page, typed)
        let form = try Self.form(path, in: question.text).orThrow
        return try await post(path, Self.hiddenFields(of: form))
    }

    /// Posts fields, with what the browser would say of where they come from.
    func post(
        _ path: String, _ fields: [(String, String)], site: [(String, String)] = [("Sec-Fetch-Site", "same-origin")]
    ) async throws -> Exchange.Response {
        try await browser.send(
            "POST", path, headers: [("Content-Type", FormURLEncoded.mediaType)] + site,
            body: FormURLEncoded.encode(fields))
    }

    func signIn(_ email: String = GatewayFixture.email, _ password: String = GatewayFixture.password) async throws
        -> Exchange.Response
    {
        try await submit("/latch/sign-in", on: "/latch/sign-in", [("username", email), ("password", password)])
    }

    /// The token of the first form of a page.
    func token(on page: String) async throws -> String {
        let text = try await get(page).text
        return try Self.hiddenFields(of: text).first { $0.0 == FormTokens.field }.orThrow.1
    }

    /// The markup of the form that leads to a path.
    static func form(_ path: String, in text: String) -> String? {
        text.components(separatedBy: "<form").dropFirst().map { $0.components(separatedBy: "</form>")[0] }
            .first { $0.contains("action=\"\(path)\"") && !$0.contains("method=\"get\"") }
    }

    static func hiddenFields(of form: String) -> [(String, String)] {
        form.components(separatedBy: "<input").dropFirst().compactMap { input in
            guard input.contains("type=\"hidden\""), let name = attribute("name", of: input) else { return nil }
            return (name, attribute("value", of: input) ?? "")
        }
    }

    private static func attribute(_ name: String, of tag: String) -> String? {
        guard let start = tag.firstRange(of: " \(name)=\"") else { return nil }
        let rest = tag[start.upperBound...]
        return String(rest.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
    }
}

extension GatewayFixture {
    /// A gateway with pages and Ada, who is an administrator where the test says so.
    static func withPages(
        codes: (any CodeStore)? = nil, _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await with(
            { settings in
                settings.pages.isEnabled = true
                change(&settings)
            }, codes: codes
        ) { fixture in
            try await fixture.addPerson()
            try await body(fixture)
        }
    }
}
