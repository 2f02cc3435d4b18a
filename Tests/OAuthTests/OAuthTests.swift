import Crypto
import OAuth
import Testing

@Suite struct OAuthTests {
    private let redirect = "https://client.example.com/cb"

    private func parse(_ url: String, issuer: String? = nil) throws -> AuthorizationResponse {
        try AuthorizationResponse.parse(
            callbackURL: url, expectedRedirect: redirect, expectedState: State("xyz"), expectedIssuer: issuer)
    }

    @Test("RFC 7636 appendix B the challenge is derived from the verifier") func appendixB() throws {
        let verifier = try #require(PKCE.Verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge.text == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(verifier.challenge.matches(verifier) && !verifier.challenge.matches(PKCE.Verifier()))
    }

    @Test("RFC 7636 §4.1 a verifier has 43 to 128 unreserved characters") func verifier() {
        #expect(PKCE.Verifier().secret.count == 43)
        #expect(PKCE.Verifier(String(repeating: "a", count: 42)) == nil)
        #expect(PKCE.Verifier(String(repeating: "a", count: 129)) == nil)
        #expect(PKCE.Verifier(String(repeating: "+", count: 43)) == nil)
        #expect(State().text.utf8.count == 32 && State() != State())
    }

    @Test("RFC 6749 §4.1.2 a callback has a code, §4.1.2.1 or an error") func callback() throws {
        #expect(
            try parse(redirect + "?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz") == .code(Secret("SplxlOBeZQQYbYS6WxSbIA")))
        #expect(
            try parse(redirect + "?error=access_denied&state=xyz")
                == .error("access_denied", description: nil, uri: nil))
    }

    @Test("RFC 9207 §2.4 a missing or different issuer is refused") func issuer() throws {
        let good = redirect + "?code=a&state=xyz&iss=https%3A%2F%2Fhonest.as.example"
        #expect(try parse(good, issuer: "https://honest.as.example") == .code(Secret("a")))
        for url in [redirect + "?code=a&state=xyz", good + "%2F"] {
            let error = #expect(throws: OAuthError.self) { try parse(url, issuer: "https://honest.as.example") }
            #expect(error?.code == .issuerMismatch)
        }
    }

    @Test("a callback with a repeated parameter, another state or another address is refused")
    func refused() {
        for (url, code) in [
            ("?code=a&code=b&state=xyz", OAuthError.Code.malformed), ("?code=a&state=xyy", .stateMismatch),
            ("?code=a", .stateMismatch), ("/x?code=a&state=xyz", .otherRedirect), ("?state=xyz", .malformed),
            ("?code=a&error=b&state=xyz", .malformed),
        ] {
            #expect(#expect(throws: OAuthError.self) { try parse(redirect + url) }?.code == code)
        }
    }

    @Test(
        "a callback's prefixes are refused, and with a flipped bit only a code with this address and state is accepted")
    func hostile() throws {
        let bytes = Array((redirect + "?code=%41b&state=xyz").utf8)
        for index in bytes.indices {
            #expect(throws: OAuthError.self) { try parse(String(decoding: bytes.prefix(index), as: UTF8.self)) }
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                do {
                    guard case .code(let code) = try parse(String(decoding: flipped, as: UTF8.self)) else {
                        Issue.record("An error was read from a flipped bit at \(index).")
                        continue
                    }
                    #expect(code != Secret("Ab") && redirect.utf8.count + 6..<bytes.count - 10 ~= index, "\(index)")
                } catch {
                    #expect(error is OAuthError)
                }
            }
        }
    }

    @Test("RFC 6749 §5.1 and §5.2 token responses are decoded") func tokens() throws {
        let good = """
            {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"BEARER","expires_in":3600,"refresh_token":"tGzv3"}
            """
        let response = try TokenResponse(parsing: Array(good.utf8))
        #expect(response.accessToken == Secret("2YotnFZFEjr1zCsicMWpAA") && response.expiresIn == .seconds(3600))
        #expect(try TokenErrorResponse(parsing: Array(#"{"error":"invalid_request"}"#.utf8)).error == "invalid_request")
        for bad in ["", "[]", "{}", #"{"access_token":"a","token_type":"mac"}"#] {
            #expect(throws: OAuthError.self) { try TokenResponse(parsing: Array(bad.utf8)) }
        }
    }

    @Test("RFC 6749 §3.1 the endpoint's query is kept") func request() throws {
        let challenge = try #require(PKCE.Challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))
        let request = AuthorizationRequest(
            clientID: "s6BhdRkqt3", redirect: redirect, state: State("xyz"), challenge: challenge)
        #expect(
            try request.url(endpoint: "https://s.example/a?tenant=1")
                == "https://s.example/a?tenant=1&response_type=code&client_id=s6BhdRkqt3"
                + "&redirect_uri=https%3A%2F%2Fclient.example.com%2Fcb&state=xyz"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
        #expect(throws: OAuthError.self) { try request.url(endpoint: "/authorize") }
    }
}
