import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20))) struct EntranceTests {
    @Test(
        "the server's root and the prefix of the pages redirect to the account",
        arguments: ["/latch", "/id", ""])
    func entrances(_ prefix: String) async throws {
        try await GatewayFixture.withPages({ $0.pages.prefix = prefix }) { fixture in
            for path in Set(["/", prefix, prefix + "/"]) where !path.isEmpty {
                let response = try await PageBrowser(fixture).get(path)
                #expect(response.status == 303 && response.headers["Location"] == prefix + "/account", "\(path)")
            }
        }
    }

    @Test("a browser gets a page at an unknown path of any dialect, and a program gets the dialect's own error")
    func unknownPaths() async throws {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        try await GatewayFixture.withPages { fixture in
            for path in ["/nowhere", "/api/nowhere", "/latch/nowhere", "/favicon.ico"] {
                let page = try await fixture.http.send("GET", path, headers: [("Accept", browser)])
                #expect(page.status == 404 && page.text.contains("<h1>Page not found</h1>"), "\(path)")
                #expect(page.text.contains("href=\"/latch/account\""), "\(path)")
            }
            for path in ["/nowhere", "/api/nowhere"] {
                for accepted in [nil, "*/*", "application/json", "text/html;q=0, application/json"] {
                    let headers = accepted.map { [("Accept", $0)] } ?? []
                    let answer = try await fixture.http.send("GET", path, headers: headers)
                    #expect(answer.status == 404 && answer.json?["detail"] == "Not Found", "\(path)")
                }
                let posted = try await fixture.http.send("POST", path, headers: [("Accept", browser)], body: "")
                #expect(posted.status == 404 && posted.json?["detail"] == "Not Found", "\(path)")
            }
            let known = try await fixture.http.send("GET", "/api/me", headers: [("Accept", browser)])
            #expect(known.status == 403 && known.json?["detail"] != nil, "a route keeps its own errors")
        }
        try await GatewayFixture.with { fixture in
            let answer = try await fixture.http.send("GET", "/nowhere", headers: [("Accept", browser)])
            #expect(answer.json?["detail"] == "Not Found", "without pages")
        }
    }

    @Test("without pages there is no root path")
    func noPages() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await PageBrowser(fixture).get("/")
            #expect(response.status == 404)
        }
    }

    @Test("an error page has the server's name, a card and a link to continue")
    func errorPages() async throws {
        try await BridgeFixture.with(
            ["google"],
            {
                $0.pages.isEnabled = true; $0.pages.title = "Photos <at> home"
            }
        ) { fixture in
            let browser = fixture.browser()
            let page = [("Accept", "text/html")]
            let start = try await browser.send(
                "GET",
                "/api/auth/oauth/google/authorize?redirect=true&next=%2Flatch%2Fsign-in%2Fdone%3Freturn%3D%252Fphotos",
                headers: page)
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let query = FormURLEncoded.encode(try fixture.google.deny(request))
            let denied = try await browser.send("GET", "\(BridgeFixture.callback)?\(query)", headers: page)
            let unknownState = try await browser.send("GET", "\(BridgeFixture.callback)?state=x&code=y", headers: page)
            let missing = try await PageBrowser(fixture.base).get("/latch/nowhere")

            for (response, link, text) in [
                (denied, "/latch/sign-in?return=%2Fphotos", "Try again"), (unknownState, "/latch/sign-in", "Try again"),
                (missing, "/latch/account", "Go to your account"),
            ] {
                #expect(response.text.contains("<p>Photos &lt;at&gt; home</p>"), "\(link)")
                #expect(response.text.contains("<div class=\"card\">\n<h1>"), "\(link)")
                #expect(response.text.contains("href=\"\(link)\">") && response.text.contains(text), "\(link)")
            }
            #expect(denied.text.contains("You declined at the identity provider"))
        }
    }

    @Test("without pages, the link to try again restarts the browser's sign-in at the provider")
    func retryAtProvider() async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            let page = [("Accept", "text/html")]
            let start = try await browser.send(
                "GET", "/api/auth/oauth/google/authorize?redirect=true&next=%2Fphotos", headers: page)
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let query = FormURLEncoded.encode(try fixture.google.deny(request))
            let denied = try await browser.send("GET", "\(BridgeFixture.callback)?\(query)", headers: page)
            #expect(
                denied.text.contains(
                    "href=\"/api/auth/oauth/google/authorize?redirect=true&amp;next=%2Fphotos\">Try again</a>"))
        }
    }
}
