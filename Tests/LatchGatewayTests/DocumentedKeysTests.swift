import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import LatchGateway

/// docs/configuration.md has every key of the configuration, as the program knows it.
@Suite("Documented keys")
struct DocumentedKeysTests {
    @Test("docs/configuration.md has each key with its default and meaning, in the order of 'latchd check --keys'")
    func keys() throws {
        let families = ConfigurationFamily.all.flatMap { $0.keys(ConfigurationFamily.placeholder) }
        let expected = (ConfigurationKey.all + families).map { key in
            "| `\(key.path)` | \(Self.cell(key.defaultValue)) | \(Self.cell(key.summary)) |"
        }
        let text = try String(contentsOfFile: Products.packageFolder + "/docs/configuration.md", encoding: .utf8)
        let documented = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") }
        for (wanted, found) in zip(expected, documented) { #expect(found == wanted) }
        #expect(documented.count == expected.count)
    }

    /// A text as it is in a cell of a table.
    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
