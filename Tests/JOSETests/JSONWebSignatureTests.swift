import Crypto
import HTTPMessages
import JOSE
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct JSONWebSignatureTests {
    @Test("The standards' examples are valid, and with any changed bit invalid", arguments: Example.all)
    func examples(_ example: Example) throws {
        let key = try JSONWebKey(parsing: JSONValue(parsing: Array(example.key.utf8)))

        #expect(try JSONWebSignature(parsing: example.text).isValid(by: key))

        let bytes = Array(example.text.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let signature = try? JSONWebSignature(parsing: String(decoding: changed, as: UTF8.self))
            #expect(signature?.isValid(by: key) != true, "byte \(index)")
        }
    }

    @Test("A key's signature is verified by its public key and not by another", arguments: SignatureAlgorithm.allCases)
    func signing(_ algorithm: SignatureAlgorithm) throws {
        let (key, other) = (try Self.key(algorithm), try SigningKey.generate(algorithm))

        let text = try key.sign(payload: Array("hello".utf8), type: "at+jwt")
        let signature = try JSONWebSignature(parsing: text)

        #expect(signature.header.algorithm == algorithm)
        #expect(signature.header.keyID == key.publicKey.keyID)
        #expect(signature.header.type == "at+jwt")
        #expect(signature.payload == Array("hello".utf8))
        #expect(signature.isValid(by: key.publicKey))
        #expect(!signature.isValid(by: other.publicKey))
        #expect(try signature.isValid(by: JSONWebKey(parsing: key.publicJSON)))
    }

    @Test("The key decides the algorithm, whatever the header says")
    func algorithmByKey() throws {
        let keys = try SignatureAlgorithm.allCases.map(Self.key)
        for key in keys {
            for claimed in ["none", "None", "", "HS256", "RS384", "RS256", "PS256", "ES256", "EdDSA"]
            where claimed != key.algorithm.rawValue {
                let head = Base64URL.encode(Array(#"{"alg":"\#(claimed)"}"#.utf8)) + "." + Base64URL.encode([1])
                let signed = try head + "." + Base64URL.encode(key.signature(of: Array(head.utf8)))
                let signature = try JSONWebSignature(parsing: signed)
                for other in keys { #expect(!signature.isValid(by: other.publicKey), "\(claimed)") }
            }
        }
    }

    @Test("An RSA key without an algorithm is valid for RS256 and PS256, and one with an algorithm only for that")
    func namedAlgorithm() throws {
        let key = try Self.key(.rs256)
        guard case .object(let members) = key.publicJSON else { throw Missing() }
        let open = try JSONWebKey(parsing: .object(members.filter { $0.name != "alg" }))
        let head = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8)) + "." + Base64URL.encode([1])

        let text = try head + "." + Base64URL.encode(key.signature(of: Array(head.utf8)))

        #expect(open.allows(.rs256) && open.allows(.ps256) && !open.allows(.es256))
        #expect(!key.publicKey.allows(.ps256))
        #expect(try JSONWebSignature(parsing: text).isValid(by: open))
    }

    @Test(
        "A text that is not a compact signature is refused",
        arguments: [
            "", ".", "..", "a.b", "e30..", "e30.e30.AA.AA", "eyJhbGciOiJSUzI1NiJ9.e30.A",
            "eyJhbGciOiJSUzI1NiJ9.e30=.AA", "eyJhbGciOiJSUzI1NiJ9 .e30.AA", "W10.e30.AA", "eyJhbGciOjF9.e30.AA",
            "eyJhbGciOiJSUzI1NiIsImtpZCI6MX0.e30.AA", String(repeating: "A", count: 70_000),
        ])
    func malformed(_ text: String) {
        let error = #expect(throws: JOSEError.self) { try JSONWebSignature(parsing: text) }
        #expect(error?.code == .malformed)
    }

    @Test("A critical extension is refused, since none is known")
    func critical() {
        let head = Base64URL.encode(Array(#"{"alg":"RS256","crit":["b64"],"b64":false}"#.utf8))
        let error = #expect(throws: JOSEError.self) { try JSONWebSignature(parsing: head + ".e30.AA") }
        #expect(error?.code == .unsupported)
    }

    @Test("An ECDSA signature in OpenSSL's format, too short or all zeros, is refused")
    func ecdsaForms() throws {
        let key = try SigningKey.generate(.es256)
        let head = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + ".e30"
        let raw = try key.signature(of: Array(head.utf8))

        #expect(raw.count == 64)
        let forms = [
            [], Array(raw.dropLast()), raw + [0], [UInt8](repeating: 0, count: 64), [0x30, 6, 2, 1, 1, 2, 1, 1],
        ]
        for form in forms {
            let text = head + "." + Base64URL.encode(form)
            #expect(try !JSONWebSignature(parsing: text).isValid(by: key.publicKey))
        }
    }

    private struct Missing: Error {}

    /// Keys that several tests sign with: one of RSA takes a while to make.
    private static let keys = Result {
        Dictionary(
            uniqueKeysWithValues: try SignatureAlgorithm.allCases.map { ($0, try SigningKey.generate($0)) })
    }

    private static func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        try #require(keys.get()[algorithm])
    }
}

/// A signed text with the key it was made by, from a standard.
struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var key: String
    var text: String

    static let all = [
        Example(
            testDescription: "RFC 7515 A.2",
            key: #"{"kty":"RSA","e":"AQAB","n":"\#(modulus)"}"#,
            text: "eyJhbGciOiJSUzI1NiJ9.\(claims)."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbd"
                + "s9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0Gar"
                + "ZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9"
                + "Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"),
        Example(
            testDescription: "RFC 7515 A.3",
            key: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
                """,
            text: "eyJhbGciOiJFUzI1NiJ9.\(claims)."
                + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
        Example(
            testDescription: "RFC 8037 A.5",
            key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            text: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]

    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
        + "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2"
        + "CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9g"
        + "b54h4FRWyuXpoQ"
}
