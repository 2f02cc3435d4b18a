import Testing

@testable import Crypto

/// Boxes that only the owner of a private key can open.
@Suite struct SealedBoxTests {
    private let key = Secret.random(SealedBox.keyCount)

    @Test(
        "what is sealed with a public key is opened with its private key, and with no other", arguments: [0, 1, 5000])
    func roundTrip(_ count: Int) throws {
        let text = SecureRandom.bytes(count)
        let box = try SealedBox.seal(text, for: SealedBox.publicKey(of: key))
        #expect(box.count == count + SealedBox.overhead)
        #expect(try SealedBox.open(box, with: key) == text)
        let other = #expect(throws: CryptoError.self) {
            try SealedBox.open(box, with: .random(SealedBox.keyCount))
        }
        #expect(other?.code == .cannotOpen)
    }

    @Test("a modified or short box and a key of the wrong length are refused")
    func invalid() throws {
        var box = try SealedBox.seal([1, 2, 3], for: SealedBox.publicKey(of: key))
        box[box.count - 1] ^= 1
        #expect(throws: CryptoError.self) { try SealedBox.open(box, with: key) }
        #expect(throws: CryptoError.self) { try SealedBox.open([1], with: key) }
        #expect(throws: CryptoError.self) { try SealedBox.seal([1], for: [1]) }
        #expect(throws: CryptoError.self) { try SealedBox.publicKey(of: Secret("short")) }
    }
}
