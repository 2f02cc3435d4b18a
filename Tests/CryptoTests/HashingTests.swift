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

    @Test(
        "SHA-1 gives the digests of FIPS 180-4's examples, however the bytes are split",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
        ])
    func checksums(text: String, digest: String) {
        guard var hash = InsecureSHA1() else {
            Issue.record("OpenSSL refuses SHA-1")
            return
        }
        for byte in text.utf8 { withUnsafeBytes(of: byte) { hash.update($0) } }
        let made = hash.finish()

        #expect(made == bytes(hex: digest))
    }

    @Test(
        "HMAC-SHA-256 gives the codes of RFC 4231's test cases",
        arguments: [
            (
                "§4.2", String(repeating: "0b", count: 20), "4869205468657265",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                "§4.3", "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                "§4.4", String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                "§4.7", String(repeating: "aa", count: 131),
                "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func authenticationCodes(section: String, key: String, text: String, code: String) {
        let code = bytes(hex: code)
        #expect(HMACSHA256.code(of: bytes(hex: text), key: Secret(bytes: bytes(hex: key))).bytes == code)
    }

    @Test("a digest round-trips through its bytes, and any other number of bytes is refused") func digestBytes() {
        let digest = SHA256.digest("abc")
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(SHA256Digest(bytes: Array(digest.bytes.dropLast())) == nil)
        #expect(SHA256Digest(bytes: digest.bytes + [0]) == nil)
        #expect(Set([digest, SHA256.digest("abd"), SHA256.digest("abc")]).count == 2)
    }

    @Test("digests that differ in one bit are not equal") func singleBitDifference() throws {
        let digest = SHA256.digest("abc")
        for bit in 0..<256 {
            var changed = digest.bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(SHA256Digest(bytes: changed) != digest)
        }
    }

    @Test(
        "base64url encodes and decodes RFC 4648 §10's examples without padding",
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
    func nonCanonical(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("base64url round-trips any number of bytes") func roundTrip() {
        for count in 0...100 {
            let bytes = SecureRandom.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
