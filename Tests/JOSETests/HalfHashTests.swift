import Crypto
import JOSE
import Testing

@Suite struct HalfHashTests {
    @Test(
        "The half hash matches the standard's examples",
        arguments: [
            (
                SignatureAlgorithm.rs256, "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk",
                "LDktKdoQak3Pk0cnXxCltA",
                "OpenID Connect Core A.4"
            ),
            (.edDSA, "abc", "3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05o", "FIPS 180-4, SHA-512"),
        ])
    func examples(_ algorithm: SignatureAlgorithm, _ text: String, _ half: String, _ source: String) {
        #expect(algorithm.halfHash(of: Secret(text)) == half, "\(source)")
    }
}
