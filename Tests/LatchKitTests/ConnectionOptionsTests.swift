import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite struct ConnectionOptionsTests {
    @Test("options round-trip through storage, and the part for the database has no secrets")
    func roundTrip() throws {
        let options = ConnectionOptions(
            authorities: .systemAnd(pemFile: "/ca.pem"),
            pinnedCertificate: CertificateFingerprint(bytes: [UInt8](repeating: 7, count: 32)),
            clientCertificate: .pem(certificate: "/c.pem", key: "/k.pem", passphrase: Secret("open sesame please")),
            proxy: "http://user:hush-hush-hush@proxy:3128", extraHeaders: ["X-Key": "hidden-value"])

        let (stored, secret) = options.split()
        let text = String(decoding: JSON.encode(stored), as: UTF8.self)
        let joined = try ConnectionOptions(JSON.decode(ConnectionRecord.self, from: Array(text.utf8)), secret)

        #expect(stored.hasSecrets)
        for secret in ["open sesame please", "hush-hush-hush", "hidden-value"] {
            #expect(!text.leaks(secret) && !"\(options)".leaks(secret))
        }
        #expect(joined.authorities == options.authorities && joined.pinnedCertificate == options.pinnedCertificate)
        #expect(joined.proxy == options.proxy && joined.extraHeaders == options.extraHeaders)
        guard case .pem("/c.pem", "/k.pem", let passphrase) = joined.clientCertificate else {
            Issue.record("no certificate")
            return
        }
        #expect(passphrase == Secret("open sesame please"))
        #expect(!ConnectionOptions(proxy: "http://proxy:3128").split().record.hasSecrets)
    }
}
