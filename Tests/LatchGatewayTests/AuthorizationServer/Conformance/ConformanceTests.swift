import Foundation
import TestSupport
import Testing

/// The conformance suite's modules that this project tests itself, by their names.
@Suite("OpenID conformance", .timeLimit(.minutes(20)))
struct ConformanceTests {
    static let cases =
        BasicPlan.cases(.basic) + BasicPlan.cases(.formPost) + ConfigurationPlan.cases + DynamicPlan.cases
        + LogoutPlan.cases + FAPI2Plan.cases

    @Test("OpenID Connect and FAPI 2.0: a module of the conformance suite", arguments: cases)
    func module(_ module: ConformanceCase) async throws {
        try await ConformanceRun.with(mode: module.plan == .formPost ? "form_post" : nil) { run in
            try await module.check(run)
        }
    }

    @Test func `docs/conformance.md lists every module, its plan and its outcome`() throws {
        let text = try String(
            contentsOfFile: Products.packageFolder + "/docs/conformance.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        var expected: [String] = []
        for module in Self.cases {
            expected.append("| `\(module.name)` | \(module.plan.rawValue) | \(module.outcome.rawValue) |")
        }
        #expect(Set(rows) == Set(expected), "\(expected.joined(separator: "\n"))")
        #expect(rows.count == expected.count)
    }
}
