import Crypto
import Foundation
import HTTPMessages
import HTTPServer
import Testing

@testable import GatewayConfiguration
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite struct RedirectPageTests {
    @Test("OX-4 the final page loads nothing, runs no scripts, cannot be framed and leaks no address")
    func headers() throws {
        let link = DeepLink.code(OneTimeCode(), to: "onyx://auth/callback", state: "s")
        let pages = RedirectPage(GatewaySettings(databasePath: nil))
        let (get, post) = (HTTPMethod.get, HTTPMethod.post)
        for page in [
            pages.returning(to: link, after: get), pages.returning(to: link, after: post),
            pages.failed(.badRequest, "It failed."),
            pages.failed(.badRequest, "It failed.", again: "/again"), pages.unknownCallback, pages.choice([]),
            pages.returningWithoutSuccess(to: link, "It failed.", after: get),
            pages.continuing(to: "/photos", title: "Done", after: post),
        ] {
            let text = String(decoding: page.body.bytes ?? [], as: UTF8.self)
            let style = try #require(text.firstMatch(of: #/(?s)<style>(.*)</style>/#)?.1)
            let hash = Data(SHA256.digest(String(style)).bytes).base64EncodedString()
            #expect(
                page.headers["Content-Security-Policy"]
                    == "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
            )
            #expect(page.headers["X-Frame-Options"] == "DENY")
            #expect(page.headers["Referrer-Policy"] == "no-referrer")
            #expect(page.headers["Cache-Control"] == "no-store")
            #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(!text.contains("<script") && !text.contains(" style=") && !text.contains("src="))
            #expect(text.contains(#"<meta name="viewport" content="width=device-width, initial-scale=1">"#))
        }
    }

    @Test("after a GET the page is the body of a redirect, after a form it opens the address by itself")
    func redirects() {
        let pages = RedirectPage(GatewaySettings(databasePath: nil))
        let link = "https://app.example.org/x?a=1&b=2"
        let redirect = pages.continuing(to: link, title: "Done", after: .get)
        #expect(redirect.status == .found && redirect.headers["Location"] == link)
        #expect(!String(decoding: redirect.body.bytes ?? [], as: UTF8.self).contains("http-equiv"))
        let page = pages.continuing(to: link, title: "Done", after: .post)
        #expect(page.status == .ok && page.headers["Location"] == nil)
        let text = String(decoding: page.body.bytes ?? [], as: UTF8.self)
        let address = "https://app.example.org/x?a=1&amp;b=2"
        #expect(text.contains("<meta http-equiv=\"refresh\" content=\"0;url=\(address)\">"))
        #expect(text.contains("href=\"\(address)\"") && text.contains("<strong>app.example.org</strong>"))
        let unsafe = pages.continuing(to: "javascript:alert(1)", title: "Done", after: .post)
        let inert = String(decoding: unsafe.body.bytes ?? [], as: UTF8.self)
        #expect(!inert.contains("javascript:") && !inert.contains("http-equiv"))
    }

    @Test("the content of the page is escaped")
    func escaping() {
        let page = RedirectPage(GatewaySettings(databasePath: nil)).returning(
            to: #"onyx://a?b="><script>alert('1')</script>&c"#, after: .get)
        let text = String(decoding: page.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains(##"href="onyx://a?b=&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;c""##))
    }

    @Test("a deep link contains the encoded code and state after an existing query")
    func links() {
        let code = OneTimeCode("C-_")
        #expect(
            DeepLink.code(code, to: "onyx://auth/callback", state: "a b&c=+ä")
                == "onyx://auth/callback?code=C-_&state=a%20b%26c%3D%2B%C3%A4")
        #expect(DeepLink.code(code, to: "https://a.b/c?d=e", state: "") == "https://a.b/c?d=e&code=C-_&state=")
        #expect(
            DeepLink.error("access_denied", "No.", to: "onyx://a", state: "s")
                == "onyx://a?error=access_denied&error_description=No.&state=s")
    }
}
