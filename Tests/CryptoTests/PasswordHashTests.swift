import Crypto
import FoundationEssentials
import Testing

@Suite struct PasswordHashTests {
    private let small = try! Argon2idParameters(memoryKiB: 8, iterations: 1)

    @Test("a hash accepts only its password and has the PHC format") func roundTrip() throws {
        let hash = try PasswordHash.make(Secret("pässword"), parameters: small)
        #expect(hash.rawValue.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(hash.isWellFormed && hash.verify(Secret("pässword")))
        #expect(!hash.verify(Secret("passwort")) && !hash.verify(Secret("")))
        #expect(try PasswordHash.make(Secret("pässword"), parameters: small) != hash)
        #expect(!"\(hash) \(String(reflecting: hash))".contains("argon2id"))
    }

    @Test(
        "the dummy hash refuses every password, and takes the same computation as a real one")
    func dummyHash() throws {
        for _ in 0..<50 {
            let hash = PasswordHash.unmatchable(parameters: small)
            let made = try PasswordHash.make(Secret("x"), parameters: small)
            #expect(hash.isWellFormed && !hash.needsRehash(for: small))
            #expect(hash.rawValue.utf8.count == made.rawValue.utf8.count)
            #expect(!hash.verify(Secret("x")) && !hash.verify(Secret("")))

            // With the key of a password in place of its random bytes it accepts that password: so libsodium reads its
            // salt and parameters and does the whole work.
            var parts = hash.rawValue.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
            let salt = try #require(Data(base64Encoded: parts[4] + "=="))
            let key = try Argon2id.key(passphrase: Secret("x"), salt: Array(salt), parameters: small, count: 32)
            parts[5] = key.withUnsafeBytes { Data($0).base64EncodedString().filter { $0 != "=" } }
            #expect(PasswordHash(rawValue: parts.joined(separator: "$")).verify(Secret("x")))
        }
    }

    @Test("a password of 4 KiB is hashed and a longer one is refused") func maximumLength() throws {
        let longest = Secret(String(repeating: "x", count: 4096))
        let hash = try PasswordHash.make(longest, parameters: small)
        #expect(hash.verify(longest))
        let longer = Secret(String(repeating: "x", count: 4097))
        #expect(!hash.verify(longer))
        let error = #expect(throws: CryptoError.self) { try PasswordHash.make(longer, parameters: small) }
        #expect(error?.code == .tooLong)
        #expect(error?.message.contains("4096") == true)
    }

    @Test(
        "hashes of the reference implementation are accepted",
        arguments: [
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            "$argon2id$v=19$m=256,t=3,p=1$c29tZXNhbHRzb21lc2FsdDEyMzQ$uGmsUmF39XyORrgvssnWEg",
            "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHRzb21lc2FsdDEyMzQ$t8EXX2zCVLe/WqSKAVUCpE5nQMr3Z32/I5ygJBxCgWQ",
        ])
    func references(text: String) {
        // Made by: echo -n password | argon2 SALT -id -t T -k M -p P -e
        #expect(PasswordHash(rawValue: text).verify(Secret("password")))
        #expect(!PasswordHash(rawValue: text).verify(Secret("passwore")))
        #expect(!PasswordHash(rawValue: text).verify(Secret("")))
    }

    @Test("prefixes of a hash and other texts verify no password") func malformed() throws {
        let hash = try PasswordHash.make(Secret("x"), parameters: small)
        for count in 0..<hash.rawValue.utf8.count {
            #expect(!PasswordHash(rawValue: String(hash.rawValue.prefix(count))).verify(Secret("x")))
        }
        for text in ["", "$", "$argon2i$v=19$m=8,t=1,p=1$YQ$YQ", hash.rawValue + "\0", hash.rawValue + "$", "x"] {
            #expect(!PasswordHash(rawValue: text).isWellFormed)
            #expect(PasswordHash(rawValue: text).needsRehash(for: small))
        }
    }

    @Test("a hash is renewed if memory or passes have changed") func rehash() throws {
        let hash = try PasswordHash.make(Secret("x"), parameters: small)
        #expect(!hash.needsRehash(for: small))
        #expect(hash.needsRehash(for: try Argon2idParameters(memoryKiB: 16, iterations: 1)))
        #expect(hash.needsRehash(for: try Argon2idParameters(memoryKiB: 8, iterations: 2)))
        #expect(Argon2idParameters.default == (try Argon2idParameters(memoryKiB: 65536, iterations: 2)))
    }

    @Test("parameters that Argon2id does not allow are refused") func parameters() {
        for (memory, iterations) in [(7, 1), (8, 0), (-1, 1), (8, -1), (Int.max, 1), (8, Int.max)] {
            let error = #expect(throws: CryptoError.self) {
                try Argon2idParameters(memoryKiB: memory, iterations: iterations)
            }
            #expect(error?.code == .invalidParameters)
        }
    }

    @Test("unavailable memory is an error") func outOfMemory() throws {
        let huge = try Argon2idParameters(memoryKiB: 4_294_967_295, iterations: 1)
        let error = #expect(throws: CryptoError.self) { try PasswordHash.make(Secret("x"), parameters: huge) }
        #expect(error?.code == .outOfMemory)
    }

    @Test("a derived key depends on passphrase, salt and work") func keys() throws {
        let salt = [UInt8](repeating: 7, count: Argon2id.saltCount)
        let key = try Argon2id.key(passphrase: Secret("x"), salt: salt, parameters: small)
        #expect(key.count == Sealing.keyCount)
        #expect(try Argon2id.key(passphrase: Secret("x"), salt: salt, parameters: small) == key)
        #expect(try Argon2id.key(passphrase: Secret("y"), salt: salt, parameters: small) != key)
        #expect(try Argon2id.key(passphrase: Secret("x"), salt: salt.map { $0 + 1 }, parameters: small) != key)
        #expect(throws: CryptoError.self) { try Argon2id.key(passphrase: Secret("x"), salt: [1], parameters: small) }
        let start = ContinuousClock.now
        let strong = try Argon2id.key(passphrase: Secret("x"), salt: salt, parameters: .forPINs)
        print("Argon2id with the parameters for PINs took \(start.duration(to: .now)).")
        #expect(strong != key)
        let empty = try Argon2id.key(passphrase: Secret(""), salt: salt, parameters: small)
        #expect(empty != key)
    }
}
