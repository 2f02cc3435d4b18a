import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import OpenIDConnect
import SignInBridge
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPServer
@testable import LatchGateway

/// Every check of a proof of possession, at the endpoints that use it.
@Suite("Proofs of possession", .timeLimit(.minutes(20)))
struct ProofTests {
    /// A proof that is not accepted, and why.
    struct Invalid: Sendable, CustomTestStringConvertible {
        let name: String
        let words: String
        var header: [(String, JSONValue?)] = []
        var claims: [(String, JSONValue?)] = []
        var seconds = 0.0
        var isSignedByOther = false

        var testDescription: String { name }
    }

    private static func key(_ changes: [(String, JSONValue?)], of maker: ProofMaker) -> JSONValue {
        let names = Set(changes.map(\.0))
        return .object(
            (maker.jwk.members ?? []).filter { !names.contains($0.name) }
                + changes.compactMap { name, value in value.map { .init(name, $0) } })
    }

    private static func invalid(_ maker: ProofMaker) -> [Invalid] {
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 31) + [5])
        let small: JSONValue = [
            "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xC5, count: 128))), "e": "AQAB",
        ]
        return [
            Invalid(name: "another key signed it", words: "signature", isSignedByOther: true),
            Invalid(name: "alg none", words: "alg", header: [("alg", "none")]),
            Invalid(name: "alg HS256", words: "alg", header: [("alg", "HS256")]),
            Invalid(name: "alg of another type", words: "signature", header: [("alg", "RS256")]),
            Invalid(name: "no alg", words: "JWT", header: [("alg", nil)]),
            Invalid(name: "crit", words: "JWT", header: [("crit", ["exp"])]),
            Invalid(name: "typ JWT", words: "typ", header: [("typ", "JWT")]),
            Invalid(name: "no typ", words: "typ", header: [("typ", nil)]),
            Invalid(name: "no jwk", words: "jwk", header: [("jwk", nil)]),
            Invalid(name: "jwk that is no object", words: "jwk", header: [("jwk", "key")]),
            Invalid(name: "private jwk", words: "private", header: [("jwk", key([("d", .string(zero))], of: maker))]),
            Invalid(name: "secret jwk", words: "private", header: [("jwk", ["kty": "oct", "k": "AAAA"])]),
            Invalid(
                name: "point off the curve", words: "jwk", header: [("jwk", key([("y", .string(zero))], of: maker))]),
            Invalid(name: "wrong curve", words: "jwk", header: [("jwk", key([("crv", "P-384")], of: maker))]),
            Invalid(name: "small RSA key", words: "jwk", header: [("jwk", small)]),
            Invalid(name: "another method", words: "htm", claims: [("htm", "GET")]),
            Invalid(name: "method in lower case", words: "htm", claims: [("htm", "post")]),
            Invalid(name: "no method", words: "htm", claims: [("htm", nil)]),
            Invalid(name: "another path", words: "htu", claims: [("htu", "http://127.0.0.1/oauth2/revoke")]),
            Invalid(name: "another host", words: "htu", claims: [("htu", "http://127.0.0.2/oauth2/token")]),
            Invalid(name: "another scheme", words: "htu", claims: [("htu", "https://127.0.0.1/oauth2/token")]),
            Invalid(name: "another port", words: "htu", claims: [("htu", "http://127.0.0.1:81/oauth2/token")]),
            Invalid(name: "no address", words: "htu", claims: [("htu", nil)]),
            Invalid(name: "a path for an address", words: "htu", claims: [("htu", "/oauth2/token")]),
            Invalid(name: "no time", words: "iat", claims: [("iat", nil)]),
            Invalid(name: "a text for a time", words: "iat", claims: [("iat", "now")]),
            Invalid(name: "an old proof", words: "iat", seconds: -61),
            Invalid(name: "a proof of the future", words: "iat", seconds: 61),
            Invalid(name: "no id", words: "jti", claims: [("jti", nil)]),
            Invalid(name: "an empty id", words: "jti", claims: [("jti", "")]),
            Invalid(name: "a long id", words: "jti", claims: [("jti", .string(String(repeating: "a", count: 257)))]),
            Invalid(name: "a broken hash", words: "ath", claims: [("ath", "short")]),
            Invalid(
                name: "an oversized proof", words: "4096",
                claims: [("more", .string(String(repeating: "a", count: 4_096)))]),
        ]
    }

    @Test("RFC 9449 §4.3 no proof that violates one of the rules is accepted at the token endpoint")
    func invalidProofs() async throws {
        try await OAuthFixture.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            let form = [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", "app"),
                ("code_verifier", fixture.verifier.secret.reveal()),
            ]
            func send(_ proofs: [String]) async throws -> Exchange.Response {
                try await fixture.post("token", form, headers: proofs.map { ("DPoP", $0) })
            }
            for row in Self.invalid(maker) {
                let proof = try maker.proof(
                    "POST", OAuthFixture.tokenAddress, at: fixture.gateway.clock.now.addingTimeInterval(row.seconds),
                    header: row.header, claims: row.claims, signedBy: row.isSignedByOther ? other.key : nil)
                let refused = try await send([proof])
                #expect(refused.status == 400 && refused.json?["error"] == "invalid_dpop_proof", "\(row.name)")
                #expect(refused.json?["error_description"]?.string?.contains(row.words) == true, "\(row.name)")
            }
            let valid = try maker.proof("POST", OAuthFixture.tokenAddress, at: fixture.gateway.clock.now)
            for texts in [["nonsense"], ["."], ["e30.e30.e30"], [valid, valid], [String(valid.dropLast(4))]] {
                #expect(try await send(texts).json?["error"] == "invalid_dpop_proof", "\(texts)")
            }
            // None of the refused requests used the code up.
            #expect(try await send([valid]).json?["token_type"] == "DPoP")
        }
    }

    @Test("RFC 9449 §4.1 and §6.1 the example of the standard is a valid proof, of the key with this thumbprint")
    func example() throws {
        let text = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.\
            eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.\
            2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
            """
        let proof = try DPoPProof(parsing: text)
        #expect(try proof.verifiedThumbprint() == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.method == "POST" && proof.address == DPoPAddress("https://server.example.com/token"))
        #expect(proof.id == "-BwC3ESc6acc2lTc" && proof.issued.timeIntervalSince1970 == 1_562_262_616)
        let changed = text.replacing("eyJqdGkiOiIt", with: "eyJqdGkiOiIu")
        #expect(throws: DPoPProof.Refusal.self) { _ = try DPoPProof(parsing: changed).verifiedThumbprint() }
    }

    @Test(
        "RFC 9449 §4.3 the algorithms and the spellings of an address that are accepted",
        arguments: [
            SignatureAlgorithm.es256, .edDSA, .rs256, .ps256,
        ])
    func validProofs(algorithm: SignatureAlgorithm) async throws {
        try await OAuthFixture.with { fixture in
            let maker = try ProofMaker(algorithm)
            let tokens = try await fixture.boundTokens(maker)
            for address in [
                "HTTP://127.0.0.1:80/oauth2/userinfo", "http://127.0.0.1/oauth2/%75serinfo?a=b",
                "http://127.0.0.1/oauth2/userinfo#fragment",
            ] {
                let proof = try maker.proof("GET", address, at: fixture.gateway.clock.now, token: tokens.access)
                let fields = [("Authorization", "DPoP " + tokens.access), ("dpop", proof)]
                #expect(try await fixture.userInfo(fields: fields).status == 200, "\(address)")
            }
        }
    }

    @Test("RFC 9449 §7.1 a bound token is refused without its proof, and with the proof of something else")
    func boundToken() async throws {
        try await OAuthFixture.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let tokens = try await fixture.boundTokens(maker)
            let second = try await fixture.boundTokens(maker)
            let bearer = try await fixture.tokens()
            let now = fixture.gateway.clock.now
            func proof(_ maker: ProofMaker, _ token: String?) throws -> (String, String) {
                ("DPoP", try maker.proof("GET", OAuthFixture.userInfoAddress, at: now, token: token))
            }
            let bound = ("Authorization", "DPoP " + tokens.access)
            let refused: [(String, [(String, String)])] = [
                ("without a proof", [bound]), ("as a bearer token", GatewayFixture.bearer(tokens.access)),
                (
                    "as a bearer token with a proof",
                    GatewayFixture.bearer(tokens.access) + [
                        try proof(maker, tokens.access)
                    ]
                ),
                ("another key", [bound, try proof(other, tokens.access)]),
                ("without the hash of the token", [bound, try proof(maker, nil)]),
                ("the hash of another token", [bound, try proof(maker, second.access)]),
                (
                    "a bearer token with the scheme DPoP",
                    [
                        ("Authorization", "DPoP " + bearer.access), try proof(maker, bearer.access),
                    ]
                ),
                ("two tokens", [bound, bound, try proof(maker, tokens.access)]),
            ]
            for (name, fields) in refused {
                let response = try await fixture.userInfo(fields: fields)
                #expect(response.status == 401, "\(name)")
                #expect(response.headers["WWW-Authenticate"]?.contains("DPoP") == true, "\(name)")
            }
            let fields = try fixture.userInfoFields(maker, tokens.access)
            #expect(try await fixture.userInfo(fields: fields).status == 200)
            let again = try await fixture.userInfo(fields: fields)
            #expect(again.status == 401 && again.headers["WWW-Authenticate"]?.contains("used before") == true)
            fixture.gateway.clock.advance(119)
            #expect(try await fixture.userInfo(fields: fields).status == 401)
            #expect(try await fixture.userInfo(bearer.access).status == 200)
        }
    }

    @Test(
        "RFC 9449 §5 the refresh tokens of a public client are bound to its key, those of a confidential one to its secret"
    )
    func refresh() async throws {
        try await OAuthFixture.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let tokens = try await fixture.boundTokens(maker)
            let missing = try await fixture.refresh(tokens.refresh)
            #expect(missing.json?["error"] == "invalid_dpop_proof")
            let stolen = try await fixture.refresh(tokens.refresh, proof: try fixture.tokenProof(other))
            #expect(stolen.json?["error"] == "invalid_grant")
            let renewed = try await fixture.refresh(tokens.refresh, proof: try fixture.tokenProof(maker))
            #expect(renewed.json?["token_type"] == "DPoP")
            let next = try OAuthTokens(renewed)
            let repeated = try await fixture.refresh(tokens.refresh, proof: try fixture.tokenProof(maker))
            #expect(try OAuthTokens(repeated) == next)
            let fields = try fixture.userInfoFields(maker, next.access)
            #expect(try await fixture.userInfo(fields: fields).status == 200)
            #expect(try await fixture.userInfo(fields: try fixture.userInfoFields(other, next.access)).status == 401)

            // A repeated proof refreshes nothing, so it is no theft.
            let proof = try fixture.tokenProof(maker)
            let third = try OAuthTokens(try await fixture.refresh(next.refresh, proof: proof))
            #expect(try await fixture.refresh(third.refresh, proof: proof).json?["error"] == "invalid_dpop_proof")
            #expect(try await fixture.refresh(third.refresh, proof: try fixture.tokenProof(maker)).status == 200)
            // An old token ends the session, also in a request without a proof.
            #expect(try await fixture.refresh(tokens.refresh).json?["error"] == "invalid_grant")
            #expect(try await fixture.userInfo(fields: try fixture.userInfoFields(maker, third.access)).status == 401)

            let web = try await fixture.boundTokens(maker, client: "web")
            let bearer = try await fixture.refresh(web.refresh, client: "web", proof: [])
            #expect(bearer.json?["token_type"] == "Bearer")
            let rebound = try await fixture.refresh(web.refresh, client: "web", proof: try fixture.tokenProof(other))
            #expect(
                rebound.json?["token_type"] == "DPoP" && rebound.json?["refresh_token"] == bearer.json?["refresh_token"]
            )
            let access = try OAuthTokens(rebound).access
            #expect(try await fixture.userInfo(fields: try fixture.userInfoFields(other, access)).status == 200)

            // The first refresh with a proof binds a public client that had none.
            let plain = try await fixture.tokens()
            let upgraded = try OAuthTokens(
                try await fixture.refresh(plain.refresh, proof: try fixture.tokenProof(maker)))
            #expect(try await fixture.refresh(upgraded.refresh).json?["error"] == "invalid_dpop_proof")
        }
    }

    @Test("RFC 9449 §10 dpop_jkt, or a proof with the pushed request, binds the code to a key")
    func authorizationCode() async throws {
        try await OAuthFixture.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let named = fixture.parameters + [("dpop_jkt", maker.thumbprint)]
            let stolen = try await fixture.boundResponse(other, named)
            #expect(stolen.json?["error"] == "invalid_grant")
            #expect(try await fixture.boundResponse(maker, named).json?["token_type"] == "DPoP")
            let code = try #require(try await fixture.respond(to: named)["code"])
            #expect(try await fixture.exchange(code).json?["error"] == "invalid_grant")
            let broken = try await fixture.respond(to: fixture.parameters + [("dpop_jkt", "nonsense")])
            #expect(broken["error"] == "invalid_request")

            func push(_ parameters: [(String, String)]) async throws -> Exchange.Response {
                let proof = try maker.proof("POST", OAuthFixture.issuer + "/oauth2/par", at: fixture.gateway.clock.now)
                return try await fixture.post("par", parameters, headers: [("DPoP", proof)])
            }
            let wrong = try await push(fixture.parameters + [("dpop_jkt", other.thumbprint)])
            #expect(wrong.json?["error"] == "invalid_dpop_proof")
            let address = try #require(try await push(fixture.parameters).json?["request_uri"]?.string)
            let refused = try await fixture.boundResponse(other, [("client_id", "app"), ("request_uri", address)])
            #expect(refused.json?["error"] == "invalid_grant")

            // Anybody can push as a public client, and would fill the memory of used proofs.
            let proof = try maker.proof("POST", OAuthFixture.issuer + "/oauth2/par", at: fixture.gateway.clock.now)
            func repeated(_ parameters: [(String, String)]) async throws -> Exchange.Response {
                try await fixture.post("par", parameters, headers: [("DPoP", proof)])
            }
            for _ in 0..<2 { #expect(try await repeated(fixture.parameters).status == 201) }
            let web = fixture.webParameters + [("client_secret", OAuthFixture.secret)]
            #expect(try await repeated(web).status == 201)
            #expect(try await repeated(web).json?["error"] == "invalid_dpop_proof")
        }
    }

    @Test("RFC 9449 §5.2 a client that must prove its key gets no tokens without a proof")
    func requiredProof() async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients = settings.authorizationServer.clients.map {
                RegisteredClient(
                    id: $0.id, name: $0.name, secretHash: $0.secretHash, redirects: $0.redirects, requiresProof: true)
            }
        }) { fixture in
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            #expect(try await fixture.exchange(code).json?["error"] == "invalid_dpop_proof")
            let tokens = try await fixture.boundTokens(try ProofMaker())
            #expect(try await fixture.refresh(tokens.refresh).json?["error"] == "invalid_dpop_proof")
        }
    }

    @Test("RFC 9449 §6.2 introspection names the key of a bound token, and needs no proof")
    func introspection() async throws {
        try await OAuthFixture.with { fixture in
            let maker = try ProofMaker()
            let tokens = try await fixture.boundTokens(maker, client: "web")
            let secret = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            let active = try await fixture.post("introspect", secret + [("token", tokens.access)])
            #expect(active.json?["active"] == true && active.json?["token_type"] == "DPoP")
            #expect(active.json?["cnf"]?["jkt"] == .string(maker.thumbprint))
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/oauth-authorization-server")
            #expect(metadata.json?["dpop_signing_alg_values_supported"] == ["ES256", "EdDSA", "PS256", "RS256"])
        }
    }

    @Test("RFC 9449 §8 and §9 where nonces are required, a proof without a nonce of the last minutes is refused")
    func nonces() async throws {
        try await OAuthFixture.with({ $0.authorizationServer.requiresProofNonces = true }) { fixture in
            let maker = try ProofMaker()
            let refused = try await fixture.boundResponse(maker)
            #expect(refused.status == 400 && refused.json?["error"] == "use_dpop_nonce")
            let nonce = try #require(refused.headers["DPoP-Nonce"])
            let forged = Base64URL.encode(
                Array(try #require(Base64URL.decode(nonce)).prefix(8)) + SecureRandom.bytes(16))
            #expect(try await fixture.boundResponse(maker, nonce: forged).json?["error"] == "use_dpop_nonce")
            let tokens = try OAuthTokens(try await fixture.boundResponse(maker, nonce: nonce))
            func info(_ nonce: String?) async throws -> Exchange.Response {
                try await fixture.userInfo(fields: try fixture.userInfoFields(maker, tokens.access, nonce: nonce))
            }
            let challenged = try await info(nil)
            #expect(challenged.status == 401 && challenged.headers["DPoP-Nonce"] == nonce)
            #expect(challenged.headers["WWW-Authenticate"]?.contains(#"error="use_dpop_nonce""#) == true)
            #expect(try await info(nonce).headers["DPoP-Nonce"] == nil)
            fixture.gateway.clock.advance(120)
            // Another gateway made it, or this one two minutes ago. The response has the next one.
            let renewed = try await info(nonce)
            let next = try #require(renewed.headers["DPoP-Nonce"])
            #expect(renewed.status == 200 && next != nonce)
            fixture.gateway.clock.advance(120)
            #expect(try await info(nonce).status == 401)
            #expect(try await info(next).status == 200)
        }
    }

    @Test("RFC 9449 §11.1 a proof that one gateway accepted is refused by the others on the database")
    func twoGateways() async throws {
        try await OAuthFixture.with({ $0.codes = .database }) { fixture in
            let maker = try ProofMaker()
            let tokens = try await fixture.boundTokens(maker)
            let other = try await fixture.gateway.otherGateway(ahead: 59)
            let proofs = try #require(other.services.proofs)
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: other.router)
            let there = Exchange(port: try #require(server.addresses.first?.port))
            let fields = try fixture.userInfoFields(maker, tokens.access)
            #expect(try await fixture.userInfo(fields: fields).status == 200)
            #expect(try await there.send("GET", "/oauth2/userinfo", headers: fields).status == 401)
            let fresh = try fixture.userInfoFields(maker, tokens.access)
            #expect(try await there.send("GET", "/oauth2/userinfo", headers: fresh).status == 200)
            #expect(try await fixture.userInfo(fields: fresh).status == 401)
            await server.stop(drain: .zero)
            let key = try #require(try? DPoPProof(parsing: fields[1].1))
            let digest = SHA256.digest([0xFF] + Array((maker.thumbprint + "\n" + key.id).utf8))
            #expect(try await !proofs.used.record(digest))
            fixture.gateway.clock.advance(60)
            await proofs.sweep()
            #expect(try await !proofs.used.record(digest), "It may still be in time for the first gateway.")
            await other.close()
        }
    }

    @Test("a gateway that has recorded too many proofs refuses further ones, and forgets none")
    func capacity() async throws {
        let clock = TestClock()
        let used = UsedIDs(
            store: MemoryCodeStore(capacity: 8, now: { clock.now }), lifetime: ProofVerifier.tolerance * 2, capacity: 4
        ) { clock.now }
        let keys = (0..<6).map { SHA256.digest("\($0)") }
        for key in keys.prefix(4) { #expect(try await used.record(key)) }
        for key in keys {
            let error = await #expect(throws: GatewayError.self) { try await used.record(key) }
            #expect(error?.code == .busy)
        }
        clock.advance(120)
        #expect(await (try? used.record(keys[4])) == nil, "The first ones may still be repeated.")
        // The ends are counted in intervals of a sixty-fourth of the lifetime.
        clock.advance(124)
        for key in keys.prefix(4) { #expect(try await used.record(key)) }
    }

    @Test("one client uses up its share of the remembered assertions, not that of others, and until they expire only")
    func usedIDsOfClients() async throws {
        let clock = TestClock()
        let used = UsedIDs(
            store: MemoryCodeStore(capacity: 128, now: { clock.now }), lifetime: .seconds(3_600), capacity: 64
        ) { clock.now }
        func record(_ id: String, of client: String) async throws -> Bool {
            try await used.record(SHA256.digest(client + id), of: .client(client), for: .seconds(60))
        }
        for number in 0..<4 { #expect(try await record("\(number)", of: "busy")) }
        let error = await #expect(throws: GatewayError.self) { _ = try await record("4", of: "busy") }
        #expect(error?.code == .busy)
        #expect(try await record("0", of: "other"))
        #expect(try await !record("0", of: "other"), "A repetition takes no place.")
        clock.advance(180)
        #expect(try await record("4", of: "busy"))
        await used.sweep()
        #expect(try await record("5", of: "busy"))
    }

    @Test("one person and one network have shares of the remembered proofs, and addresses leave half to people")
    func usedIDsOfPeopleAndAddresses() async throws {
        let used = UsedIDs(store: MemoryCodeStore(capacity: 256), lifetime: .seconds(240), capacity: 64) { .now }
        var number = 0
        func fill(_ user: UsedIDs.User) async throws -> Int {
            for count in 0... {
                number += 1
                do {
                    _ = try await used.record(SHA256.digest("\(number)"), of: user)
                } catch let error as GatewayError where error.code == .busy {
                    return count
                }
            }
            return 0
        }
        func address(_ text: String) -> UsedIDs.User { .address(AddressKey(IPAddress(text))) }
        let (ada, bob) = (UUID(), UUID())
        #expect(try await fill(.person(ada)) == 8)
        #expect(try await fill(.person(bob)) == 8)
        // A /64, its /56 and its /48 have an eighth, a quarter and half, which is also the half of all addresses.
        #expect(try await fill(address("2001:db8:1:2::1")) == 8)
        #expect(try await fill(address("2001:db8:1:3::1")) == 8)
        #expect(try await fill(address("2001:db8:1:4::1")) == 0)
        #expect(try await fill(address("2001:db8:1:100::1")) == 8)
        #expect(try await fill(address("192.0.2.1")) == 8)
        #expect(try await fill(address("192.0.2.2")) == 0)
        #expect(try await fill(.person(UUID())) == 8)
    }

    @Test("a person whose share of the remembered proofs is full gets 503, with access and refresh tokens")
    func fullShare() async throws {
        try await OAuthFixture.with { fixture in
            let maker = try ProofMaker()
            let tokens = try await fixture.boundTokens(maker)
            let used = try #require(fixture.gateway.gateway.services.proofs).used
            #expect(try await fixture.userInfo(fields: fixture.userInfoFields(maker, tokens.access)).status == 200)
            let person = try #require(
                try await fixture.gateway.gateway.stores.people.find("ada@example.org")
            ).id
            // Two are those of the sign-in and the request.
            for number in 2..<UsedIDs.capacity / 8 {
                #expect(try await used.record(SHA256.digest("\(number)"), of: .person(person)))
            }
            #expect(try await fixture.userInfo(fields: fixture.userInfoFields(maker, tokens.access)).status == 503)
            #expect(try await fixture.refresh(tokens.refresh, proof: fixture.tokenProof(maker)).status == 503)
            // Half an eighth of the memory is far from the limit of all.
            #expect(try await used.record(SHA256.digest("other"), of: .person(UUID())))
        }
    }
}
