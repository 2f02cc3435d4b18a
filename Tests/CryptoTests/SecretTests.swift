import Crypto
import Testing

@Suite struct SecretTests {
    private struct Holder {
        var token: Secret
    }

    @Test("RFC 6819 §5.1.6 a secret is never shown in a description") func hidden() {
        let holder = Holder(token: Secret("hunter2-hunter2"))
        var dumped = ""
        dump(holder, to: &dumped)
        let shown = "\(holder.token) \(holder) \(String(reflecting: holder)) \(dumped)"
        #expect(!shown.contains("hunter2-hunter2") && !shown.contains("104"))
        #expect("\(holder.token)" == "‹secret›")
        #expect(Mirror(reflecting: holder.token).children.isEmpty)
    }

    @Test("a secret returns its value") func reveal() {
        #expect(Secret("pässword").reveal() == "pässword")
        #expect(Secret(bytes: [1, 2, 3]).withBytes { $0 } == [1, 2, 3])
        #expect(Secret("").count == 0 && Secret("").reveal() == "")
    }

    @Test("secrets are equal if all bytes are equal") func equality() {
        #expect(Secret("abc") == Secret(bytes: [97, 98, 99]))
        #expect(Secret("abc") != Secret("abd") && Secret("abc") != Secret("ab") && Secret("") == Secret(""))
        #expect(constantTimeEqual([1, 2], [1, 2]) && !constantTimeEqual([1, 2], [2, 2]))
        #expect(!constantTimeEqual([1], [1, 2]) && constantTimeEqual([], []))
    }

    @Test("random bytes have the requested count and do not repeat") func random() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(Secret.random(32) != Secret.random(32))
    }
}
