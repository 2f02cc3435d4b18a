import Foundation
import TestSupport
import Testing

/// The file for Traefik, with which no test runs, beside the file for nginx, with which the proxy tests run.
struct ProxyFileTests {
    private static func file(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Products.packageFolder)/Integrations/\(path)", encoding: .utf8)
    }

    @Test("Traefik's file removes every field that nginx's removes, except those that Traefik itself removes or sets")
    func removedFields() throws {
        let removed = try Self.file("nginx/latchd-protect.conf").matches(of: /proxy_set_header (\S+) "";/).map {
            $0.output.1.lowercased()
        }
        #expect(removed.count > 25)
        let traefik = Set(
            try Self.file("traefik/latchd.yaml").matches(of: /(?m)^ +([A-Za-z-]+): ""$/).map {
                $0.output.1.lowercased()
            })
        let own = ["prefix", "port", "server", "uri", "method"].map { "x-forwarded-\($0)" } + ["x-real-ip"]
        // authResponseHeadersRegex
        let missing = removed.filter { !traefik.contains($0) && !own.contains($0) && !$0.hasPrefix("x-auth") }
        #expect(missing.isEmpty)
    }
}
