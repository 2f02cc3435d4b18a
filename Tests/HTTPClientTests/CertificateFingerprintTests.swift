import HTTPClient
import Testing

@Suite("CertificateFingerprint")
struct CertificateFingerprintTests {
    private static let bytes = (0..<32).map { UInt8($0 * 8) }
    private static let text =
        "00:08:10:18:20:28:30:38:40:48:50:58:60:68:70:78:80:88:90:98:A0:A8:B0:B8:C0:C8:D0:D8:E0:E8:F0:F8"

    @Test(
        "The formats of people and tools are parsed",
        arguments: [
            text, text.lowercased(), text.filter { $0 != ":" }, text.split(separator: ":").joined(separator: " "),
            "sha256 Fingerprint=" + text, "SHA256:" + text,
        ])
    func reading(_ text: String) {
        #expect(CertificateFingerprint(text)?.bytes == Self.bytes)
    }

    @Test("The description has the format of openssl")
    func writing() throws {
        #expect(try #require(CertificateFingerprint(bytes: Self.bytes)).description == Self.text)
    }

    @Test(
        "Anything else is refused",
        arguments: ["", "00", String(text.dropLast()), text + ":00", text.replacing("F8", with: "G8"), "é" + text])
    func refusing(_ text: String) {
        #expect(CertificateFingerprint(text) == nil)
        #expect(CertificateFingerprint(bytes: [1, 2]) == nil)
    }
}
