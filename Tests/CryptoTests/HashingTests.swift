import Crypto
import Testing

@Suite struct HashingTests {
    @Test(
        "SHA-256 gives the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, digest: String) {
        #expect(SHA256.digest(text).hexadecimal == digest)
        #expect(SHA256.digest(Array(text.utf8)).bytes == bytes(hex: digest))
        #expect(SHA256.digest(Secret(text)).hexadecimal == digest)
    }

    @Test("a digest survives the way through its bytes, and no other count makes one") func digestBytes() {
        let digest = SHA256.digest("abc")
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(SHA256Digest(bytes: Array(digest.bytes.dropLast())) == nil)
        #expect(SHA256Digest(bytes: digest.bytes + [0]) == nil)
        #expect(Set([digest, SHA256.digest("abd"), SHA256.digest("abc")]).count == 2)
    }

    @Test("a digest that differs in any one bit is another digest") func everyBit() throws {
        let digest = SHA256.digest("abc")
        for bit in 0..<256 {
            var changed = digest.bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(SHA256Digest(bytes: changed) != digest)
        }
    }

    @Test(
        "base64url writes and reads RFC 4648 §10's examples without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test("RFC 4648 §5 the alphabet is the URL-safe one") func alphabet() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test(
        "base64url refuses text that encode never writes",
        arguments: [
            "Zg==", "Zg=", "Zh", "Z", "Zm9v\n", " Zm9v", "+//+", "Zm9vé", "Zm\09v", "Zm9vY", "-Q\u{FFFD}\u{FFFD}",
        ])
    func notCanonical(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("base64url brings back bytes of every count") func roundTrip() {
        for count in 0...100 {
            let bytes = SecureRandom.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
