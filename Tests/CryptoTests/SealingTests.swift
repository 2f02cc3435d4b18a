import Crypto
import Testing

@Suite struct SealingTests {
    private let key = Secret(bytes: Array(0x80...0x9F))

    @Test("draft-irtf-cfrg-xchacha-03 A.3.1 the example box is decrypted to its plaintext") func vector() throws {
        let box = bytes(
            hex: """
                404142434445464748494a4b4c4d4e4f5051525354555657
                bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39
                ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
                21f9664c97637da9768812f615c68b13b52e
                c0875924c1c7987947deafd8780acf49
                """)
        let plaintext = try Sealing.open(box, key: key, context: bytes(hex: "50515253c0c1c2c3c4c5c6c7"))
        let expected = """
            Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen \
            would be it.
            """
        #expect(String(decoding: plaintext, as: UTF8.self) == expected)
    }

    @Test("a box is decrypted to the sealed plaintext, and no two boxes are equal") func roundTrip() throws {
        for count in [0, 1, 63, 64, 65, 1000] {
            let plaintext = SecureRandom.bytes(count)
            let box = try Sealing.seal(plaintext, key: key, context: [1])
            #expect(box.count == count + Sealing.overhead)
            #expect(try Sealing.open(box, key: key, context: [1]) == plaintext)
            #expect(try Sealing.seal(plaintext, key: key, context: [1]) != box)
        }
    }

    @Test(
        "a box with a flipped byte, a prefix of it, another key or another context is refused")
    func forgery() throws {
        let box = try Sealing.seal(Array("secret".utf8), key: key, context: [1])
        for index in box.indices {
            var flipped = box
            flipped[index] ^= 0x10
            #expect(throws: CryptoError.self) { try Sealing.open(flipped, key: key, context: [1]) }
            #expect(throws: CryptoError.self) { try Sealing.open(Array(box.prefix(index)), key: key, context: [1]) }
        }
        let other = #expect(throws: CryptoError.self) { try Sealing.open(box, key: .random(32), context: [1]) }
        #expect(other?.code == .cannotOpen)
        let context = #expect(throws: CryptoError.self) { try Sealing.open(box, key: key, context: []) }
        #expect(context?.code == .cannotOpen)
    }

    @Test("a key of another length is refused") func keyLength() {
        let error = #expect(throws: CryptoError.self) { try Sealing.seal([], key: Secret(bytes: [1])) }
        #expect(error?.code == .invalidKey)
    }
}
