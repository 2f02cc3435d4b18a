import Foundation
import JOSE
import LatchSandbox
import TestSupport
import Testing

/// That docs/sandbox.md says what there is.
struct DocumentationTests {
    @Test("The page lists every fault, algorithm and person, and no unknown fault")
    func page() throws {
        let page = try String(contentsOfFile: Products.packageFolder + "/docs/sandbox.md", encoding: .utf8)

        for name in Fault.allCases.map(\.rawValue) + SignatureAlgorithm.allCases.map(\.rawValue) {
            #expect(page.contains("`\(name)`"))
        }
        for person in SandboxPerson.all { #expect(page.contains("\(person.email)   ")) }
        let table = try #require(page.components(separatedBy: "### Simulated failures").last)
            .split(separator: "\n").filter { $0.hasPrefix("| the ") || $0.hasPrefix("| UserInfo") }
        let named = table.flatMap { $0.split(separator: "`").filter { !$0.contains(" ") && !$0.contains("|") } }
        #expect(named.count == Fault.allCases.count)
    }
}
