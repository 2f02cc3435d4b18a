import Testing

@testable import SignInBridge

@Suite struct AllowedRedirectsTests {
    private let listed = AllowedRedirects(
        ["onyx://auth/callback", "https://app.example.org/cb?x=1", "http://127.0.0.1/done", "http://[::1]/done"],
        anyLoopbackPort: true)

    @Test(
        "OX-2 a listed redirect is allowed unchanged, and a loopback redirect at any port",
        arguments: [
            "onyx://auth/callback", "https://app.example.org/cb?x=1", "http://127.0.0.1/done",
            "http://127.0.0.1:1/done",
            "http://127.0.0.1:65535/done", "http://[::1]:40000/done",
        ])
    func allowed(_ address: String) {
        #expect(listed.allows(address))
    }

    @Test(
        "OX-2 an address that only resembles a listed redirect is refused",
        arguments: [
            // Case, also where a URL has none.
            "Onyx://auth/callback", "ONYX://AUTH/CALLBACK", "onyx://Auth/callback", "onyx://auth/Callback",
            // Another path, a longer one, a shorter one, one that comes out the same.
            "onyx://auth/callback/", "onyx://auth/callback2", "onyx://auth/", "onyx://auth",
            "onyx://auth/x/../callback",
            "onyx://auth//callback", "onyx://auth/./callback", "onyx:/auth/callback", "onyx:auth/callback",
            // Another host, port or person in front.
            "onyx://auth:80/callback", "onyx://evil@auth/callback", "onyx://auth@evil/callback",
            "onyx://auth./callback",
            "onyx://auth.evil.org/callback", "https://app.example.org:443/cb?x=1", "https://app.example.org./cb?x=1",
            "https://app.example.org@evil.org/cb?x=1", "https://evil.org/https://app.example.org/cb?x=1",
            "http://app.example.org/cb?x=1", "https://app.example.org/cb", "https://app.example.org/cb?x=1&y=2",
            // Encoded.
            "onyx://auth%2Fcallback", "onyx%3A//auth/callback", "onyx://auth/call%62ack", "onyx://%61uth/callback",
            "onyx://auth/callback%00", "onyx://auth/callback%20",
            // Something behind or around it.
            "onyx://auth/callback?", "onyx://auth/callback#", "onyx://auth/callback?code=x", "onyx://auth/callback#x",
            " onyx://auth/callback", "onyx://auth/callback ", "onyx://auth/callback\n", "onyx://auth/callback\0",
            "onyx://auth\\callback", "onyx://auth/callback,onyx://auth/callback", "",
            // Other characters that look or count as the same.
            "\u{6F}\u{301}nyx://auth/callback", "onyx://auth/cаllback", "onyx\u{200B}://auth/callback",
            // Loopback that is none, or is not written as its number.
            "http://localhost/done", "http://127.0.0.1.evil.org/done", "http://127.0.0.2/done", "http://127.1/done",
            "http://127.0.0.1:0/done", "http://127.0.0.1:65536/done", "http://127.0.0.1:080/done",
            "http://127.0.0.1:+80/done", "http://127.0.0.1:/done", "http://127.0.0.1:80@evil.org/done",
            "http://127.0.0.1:80evil.org/done", "http://127.0.0.1@evil.org/done", "http://[::1].evil.org/done",
            "http://[::]/done", "http://[0:0:0:0:0:0:0:1]/done", "https://127.0.0.1/done", "http://127.0.0.1/done/",
            "http://127.0.0.1/other", "http://127.0.0.1", "http://2130706433/done", "http://0x7f.0.0.1/done",
            // Schemes of the browser's own.
            "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "about:blank", "onyx", "//auth/callback",
        ])
    func lookAlikes(_ address: String) {
        #expect(!listed.allows(address))
    }

    @Test("any loopback port is allowed only if that is configured")
    func fixedPort() {
        let fixed = AllowedRedirects(["http://127.0.0.1:8000/done"], anyLoopbackPort: false)
        #expect(fixed.allows("http://127.0.0.1:8000/done"))
        #expect(!fixed.allows("http://127.0.0.1:8001/done"))
        #expect(!AllowedRedirects([], anyLoopbackPort: false).allows("http://127.0.0.1:8000/callback"))
    }

    @Test("with any loopback port and no listed loopback address, /callback is allowed on IPv4 and IPv6")
    func defaults() {
        let free = AllowedRedirects(["onyx://auth/callback"], anyLoopbackPort: true)
        #expect(free.allows("http://127.0.0.1:8000/callback"))
        #expect(free.allows("http://[::1]:8000/callback"))
        #expect(!free.allows("http://127.0.0.1:8000/"))
    }

    @Test(
        "RFC 3986 §3.2.2 a host name or the literal of an IP address, with a port, is usable",
        arguments: [
            "https://a", "https://App-1.example.org:8443?x", "https://my_app/cb", "https://192.0.2.1:1/",
            "https://[2001:db8::1]:65535/", "https://xn--bcher-kva.example/", "https://1and1.example/",
        ])
    func usable(_ address: String) {
        #expect(AllowedRedirects.problem(with: address) == nil)
        #expect(AllowedRedirects([address], anyLoopbackPort: false).allows(address))
    }

    @Test("the message about an asterisk says that addresses are compared character by character")
    func asterisk() {
        for address in ["https://*.example.org/cb", "https://example.org/*", "com.example.app:/*"] {
            #expect(AllowedRedirects.problem(with: address)?.contains("character by character") == true)
        }
    }

    @Test("RFC 8252 §8.3 only a list that accepts the name localhost has it, also with any port")
    func localhost() {
        let listed = ["http://localhost/cb", "https://app.example/cb"]
        let clients = AllowedRedirects(listed, anyLoopbackPort: true, acceptsLocalhost: true)
        for address in ["http://localhost/cb", "http://localhost:8976/cb"] {
            #expect(AllowedRedirects.problem(with: address, acceptsLocalhost: true) == nil)
            #expect(AllowedRedirects.problem(with: address) != nil)
            #expect(clients.allows(address) && !AllowedRedirects(listed, anyLoopbackPort: true).allows(address))
        }
        for address in [
            "http://localhost.evil.example/cb", "http://localhostx/cb", "http://localhost@evil.example/cb",
            "http://127.0.0.1/cb", "http://LOCALHOST/cb", "http://localhost:0/cb", "http://localhost/other",
        ] {
            #expect(!clients.allows(address), "\(address)")
        }
    }

    @Test(
        "an unsafe address in the list is reported and allows nothing",
        arguments: [
            "http://app.example.org/cb", "http://localhost/cb", "javascript:alert(1)", "onyx://a/b#c", "Onyx://a/b",
            "https://user@example.org/cb", "https:///cb", "onyx://a b", "no-scheme", "1onyx://a", "",
            "https://a%2Eexample/", "https://a,b/", "https://a..b/", "https://.a/", "https://a./", "https://-a.b/",
            "https://a-.b/", "https://a~b/", "https://[::1/", "https://[127.0.0.1]/", "https://[::1]x/", "https://::1/",
            "https://1.2.3/", "https://0x7f000001/", "https://2130706433/", "https://01.2.3.4/", "https://:1/",
            "https://a:/", "https://a:0/", "https://a:65536/", "https://a:080/", "https://a:+1/", "https://a:x/",
            "https://a:1:2/", "http://127.0.0.1:65536/",
        ])
    func unusable(_ address: String) {
        #expect(AllowedRedirects.problem(with: address) != nil)
        #expect(!AllowedRedirects([address], anyLoopbackPort: true).allows(address))
    }
}
