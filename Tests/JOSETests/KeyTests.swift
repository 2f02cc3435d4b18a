import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct KeyTests {
    @Test("A key's thumbprint matches the standards' examples")
    func thumbprints() throws {
        let edwards = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        #expect(try key(edwards).thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test(
        "An invalid key is refused with the kind of mistake",
        arguments: [
            (#"{}"#, "malformed"), (#"{"kty":1}"#, "malformed"), (#"{"kty":"oct","k":"AAAA"}"#, "unsupported"),
            (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, "weak"), (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, "malformed"),
            (#"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQ"}"#, "malformed"),
            (#"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQAA"}"#, "malformed"),
            (#"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQAB","alg":"ES256"}"#, "unsupported"),
            (#"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQAB","alg":"none"}"#, "unsupported"),
            (#"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQAB","kid":7}"#, "malformed"),
            (#"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, "unsupported"),
            (#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, "malformed"),
            (
                #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                    + #""y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#, "malformed"
            ),
            (#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, "unsupported"),
            (#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, "malformed"),
        ])
    func refused(_ text: String, _ code: String) {
        let error = #expect(throws: JOSEError.self) { try key(text) }
        #expect(error?.code.description == code)
    }

    @Test("A key set keeps the supported keys and ignores the others")
    func keySets() throws {
        let known = try SigningKey.generate(.es256, keyID: "a")
        let forEncryption = #"{"kty":"RSA","n":"\#(Example.modulus)","e":"AQAB","kid":"a","use":"enc"}"#
        let text = String(decoding: known.publicJSON.encoded(), as: UTF8.self)
        let set = try JSONWebKeySet(
            parsing: Array(#"{"keys":[{"kty":"oct","k":"AA"},{"kty":"later"},3,\#(forEncryption),\#(text)]}"#.utf8))

        #expect(set.keys.map(\.keyID) == ["a", "a"])
        #expect(set.candidates(keyID: "a", algorithm: .es256).count == 1)
        #expect(set.candidates(keyID: nil, algorithm: .es256).count == 1)
        #expect(set.candidates(keyID: "b", algorithm: .es256).isEmpty)
        #expect(set.candidates(keyID: "a", algorithm: .rs256).isEmpty)
    }

    @Test("RSA keys of anybody have at most 4,096 bits, those of a provider 8,192, and every exponent 4 bytes")
    func largeKeys() throws {
        func json(bits: Int, exponent: [UInt8] = [1, 0, 1]) -> JSONValue {
            [
                "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: bits / 8))),
                "e": .string(Base64URL.encode(exponent)),
            ]
        }
        _ = try JSONWebKey(parsing: json(bits: 4_096, exponent: [0xFF, 0xFF, 0xFF, 0xFF]))
        _ = try JSONWebKey(parsing: json(bits: 8_192), maximumBits: JSONWebKey.maximumProviderModulusBits)
        #expect(throws: JOSEError.self) { try JSONWebKey(parsing: json(bits: 4_104)) }
        #expect(throws: JOSEError.self) {
            try JSONWebKey(parsing: json(bits: 8_200), maximumBits: JSONWebKey.maximumProviderModulusBits)
        }
        #expect(throws: JOSEError.self) { try JSONWebKey(parsing: json(bits: 2_048, exponent: [1, 0, 0, 0, 1])) }
        let set = JSONValue.object([.init("keys", [json(bits: 8_192)])]).encoded()
        #expect(try JSONWebKeySet(parsing: set).keys.isEmpty)
        let bits = JSONWebKey.maximumProviderModulusBits
        #expect(try JSONWebKeySet(parsing: set, maximumBits: bits).keys.count == 1)
    }

    @Test("A signature is verified with at most four keys of a set, of those that it may be of")
    func tries() throws {
        func make(_ keyID: String) throws -> SigningKey { try SigningKey.generate(.es256, keyID: keyID) }
        let keys = try (0..<6).map { try make($0 == 5 ? "named" : "same") } + [try .generate(.edDSA)]
        let set = JSONWebKeySet(keys.map(\.publicKey))
        func tries(_ key: SigningKey, header: String) throws -> (isSigned: Bool, count: Int) {
            let text = Base64URL.encode(Array(header.utf8)) + ".e30"
            let signature = Base64URL.encode(try key.signature(of: Array(text.utf8)))
            var count = 0
            let isSigned = set.isSigned(try JSONWebSignature(parsing: "\(text).\(signature)")) { count += 1 }
            return (isSigned, count)
        }
        for index in 0..<4 {
            #expect(try tries(keys[index], header: #"{"alg":"ES256"}"#) == (true, index + 1))
            #expect(try tries(keys[index], header: #"{"alg":"ES256","kid":"same"}"#) == (true, index + 1))
        }
        #expect(try tries(keys[4], header: #"{"alg":"ES256"}"#) == (false, 4))
        #expect(try tries(keys[5], header: #"{"alg":"ES256","kid":"named"}"#) == (true, 1))
        #expect(try tries(keys[6], header: #"{"alg":"EdDSA"}"#) == (true, 1))
        #expect(try tries(keys[0], header: #"{"alg":"ES256","kid":"other"}"#) == (false, 0))
        #expect(try tries(keys[0], header: #"{"alg":"none"}"#) == (false, 0))
    }

    @Test("An invalid key set is refused", arguments: ["", "[]", "{}", #"{"keys":{}}"#, "\u{0}"])
    func invalidKeySet(_ text: String) {
        let error = #expect(throws: JOSEError.self) { try JSONWebKeySet(parsing: Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test("A key set with too many keys is refused")
    func largeSet() throws {
        let many = String(repeating: "{},", count: 64) + "{}"
        #expect(throws: JOSEError.self) { try JSONWebKeySet(parsing: Array(#"{"keys":[\#(many)]}"#.utf8)) }
    }

    @Test(
        "OpenSSL's command and this library verify each other's signatures",
        arguments: [
            (SignatureAlgorithm.rs256, ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
            (.ps256, ["RSA", "-pkeyopt", "rsa_keygen_bits:3072"]), (.edDSA, ["ED25519"]),
        ])
    func openssl(_ algorithm: SignatureAlgorithm, _ kind: [String]) async throws {
        let folder = try TemporaryDirectory()
        let pem = folder.file("key.pem")
        try await run(["genpkey", "-algorithm"] + kind + ["-out", pem])
        try await run(["pkey", "-in", pem, "-pubout", "-out", folder.file("public.pem")])
        let key = try SigningKey(pem: Secret(bytes: bytes(pem)), keyID: "a", algorithm: algorithm)
        let head = Base64URL.encode(Array(#"{"alg":"\#(algorithm.rawValue)"}"#.utf8)) + ".e30"
        let message = try folder.write(head, to: "message")
        let options = ["-rawin", "-in", message] + Self.options(algorithm)

        try await run(["pkeyutl", "-sign", "-inkey", pem, "-out", folder.file("made")] + options)
        let text = head + "." + Base64URL.encode(try bytes(folder.file("made")))
        #expect(try JSONWebSignature(parsing: text).isValid(by: key.publicKey))

        try Data(key.signature(of: Array(head.utf8))).write(to: URL(filePath: folder.file("ours")))
        try await run(
            ["pkeyutl", "-verify", "-pubin", "-inkey", folder.file("public.pem"), "-sigfile", folder.file("ours")]
                + options)
    }

    @Test("A private key that is encrypted, of another type, too short or invalid is refused without a prompt")
    func privateKeys() async throws {
        let folder = try TemporaryDirectory()
        try await run(
            ["genpkey", "-algorithm", "ED25519", "-aes256", "-pass", "pass:open", "-out", folder.file("locked")])
        try await run(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", folder.file("other")])
        try await run([
            "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", folder.file("short"),
        ])
        try folder.write("no key", to: "none")

        for (name, code) in [
            ("locked", "malformed"), ("other", "unsupported"), ("short", "weak"), ("none", "malformed"),
        ] {
            let pem = Secret(bytes: try bytes(folder.file(name)))
            let error = #expect(throws: JOSEError.self) { try SigningKey(pem: pem) }
            #expect(error?.code.description == code, "\(name)")
        }
    }

    private static func options(_ algorithm: SignatureAlgorithm) -> [String] {
        switch algorithm {
        case .rs256: ["-digest", "sha256", "-pkeyopt", "rsa_padding_mode:pkcs1"]
        case .ps256:
            ["-digest", "sha256", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:digest"]
        case .es256, .edDSA: []
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private func key(_ text: String) throws -> JSONWebKey {
        try JSONWebKey(parsing: JSONValue(parsing: Array(text.utf8)))
    }

    private func run(_ arguments: [String]) async throws {
        let result = try await Program.run("openssl", arguments)
        try #require(result.status == 0, "\(result.errors)")
    }
}
