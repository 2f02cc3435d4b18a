import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP

@Suite("The return address after a sign-in")
struct ReturnAddressTests {
    private func check(_ text: String, cookieDomain: String? = nil, isSecure: Bool = false) -> String? {
        let hosts = ["app.example.org", "*.cloud.example.org", "dev.example.org:8443"]
        let rule = AccessRule(
            name: "apps", hosts: hosts.compactMap { AccessHostPattern($0) }, paths: [], methods: [],
            admission: .signedIn)
        let known = ReturnHosts(
            own: AccessHost("id.example.org"), isSecure: isSecure, rules: AccessRules([rule]),
            cookieDomain: cookieDomain)
        return ReturnAddress.check(text) { known.allows($0, $1) }?.text
    }

    @Test(
        "a path on this server and the hosts that a rule names are accepted",
        arguments: [
            "/", "/photos?x=1#top", "/a/b?next=//evil.example&u=https://evil.example", "https://app.example.org",
            "https://app.example.org/", "https://app.example.org/a?b=c#d", "http://app.example.org/",
            "https://x.cloud.example.org/y", "https://dev.example.org:8443/", "https://id.example.org/latch/account",
        ])
    func allowed(address: String) {
        #expect(check(address) == address)
    }

    @Test(
        "every other address is refused",
        arguments: [
            "", "photos", "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example",
            "/%2f/evil.example",
            "/%5cevil.example", "/.//evil.example", "/a//evil", "/..//evil.example", "https:evil.example",
            "https:/evil.example", "https:///evil.example", "https://evil.example",
            "https://evil.example/app.example.org",
            "https://app.example.org.evil.example/", "https://evilapp.example.org/",
            "https://app.example.org@evil.example/",
            "https://user@app.example.org/", "https://user:pw@app.example.org/", "https://app.example.org:8443/",
            "https://app.example.org:443/", "https://dev.example.org/", "https://dev.example.org:9443/",
            "https://app.example.org\\.evil.example/", "https://app.example.org\\@evil.example/",
            "https://app.example.org%2eevil/",
            "https://app.example.org?x", "https://app.example.org#@evil.example/", "https://APP.example.org/",
            "HTTPS://app.example.org/", "https://app.example.org./", "https://аpp.example.org/",
            "https://xn--pp-7ic.example.org/", "https://cloud.example.org/", "ftp://app.example.org/",
            "javascript:alert(1)",
            "data:text/html,x", "/a\tb", "/a\nb", "/\r\nSet-Cookie: x=y", " /a", "/a ", "/ä", "/a\u{0}", "/;x", "?a",
            "#a",
            "https://[::1]/", "https://127.0.0.1/", "https://other.example.org/",
        ])
    func refused(address: String) {
        #expect(check(address) == nil)
    }

    @Test("a server with TLS does not redirect to plain HTTP")
    func downgrade() {
        for host in [
            "app.example.org", "x.cloud.example.org", "id.example.org", "dev.example.org:8443", "other.example.org",
        ] {
            let domain = host.hasPrefix("other") ? "example.org" : nil
            #expect(check("http://\(host)/x", cookieDomain: domain, isSecure: false) != nil)
            #expect(check("http://\(host)/x", cookieDomain: domain, isSecure: true) == nil)
            #expect(check("https://\(host)/x", cookieDomain: domain, isSecure: true) != nil)
        }
    }

    @Test("every host below the cookie's domain is accepted without a port")
    func cookieDomain() {
        for host in ["other.example.org", "example.org"] {
            #expect(check("https://\(host)/x", cookieDomain: "example.org") == "https://\(host)/x")
        }
        #expect(check("https://other.example.org:8443/x", cookieDomain: "example.org") == nil)
        #expect(check("https://evilexample.org/x", cookieDomain: "example.org") == nil)
    }

    @Test("the length is bounded, and other hosts are accepted only if the caller's check allows them")
    func edges() {
        #expect(check("/" + String(repeating: "a", count: 1023)) != nil)
        #expect(check("/" + String(repeating: "a", count: 1024)) == nil)
        #expect(ReturnAddress.check("https://app.example.org/") == nil)
        #expect(ReturnAddress.check("https://app.example.org/x") { _, _ in true }?.origin == "https://app.example.org")
    }
}
