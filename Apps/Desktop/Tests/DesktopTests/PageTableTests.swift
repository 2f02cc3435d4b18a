import DesktopDriver
import Foundation
import Testing

/// The table of README.md that says which test proves what of each page.
@Suite("Table of pages")
struct PageTableTests {
    private static let folder = Programs.root.appending(path: "Apps/Desktop")

    @Test("every page is in the table, and the tests that the table names exist")
    func table() throws {
        let readme = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
        let rows = readme.split(separator: "\n").filter { $0.firstMatch(of: /^\| `\w+Page` \|/) != nil }
        let named = rows.map { Self.codes(in: $0) }
        #expect(named.compactMap(\.first).sorted() == (try pages()))
        #expect(rows.allSatisfy { $0.count { $0 == "|" } == 5 })
        let tests = try tests()
        for names in named {
            for name in names.dropFirst() { #expect(tests.contains(name), "\(names[0]): there is no test \(name).") }
        }
    }

    /// The words of a line that are written as code.
    private static func codes(in line: Substring) -> [String] { line.matches(of: /`([^`]+)`/).map { String($0.1) } }

    /// The types that make a page.
    private func pages() throws -> [String] {
        try sources("Sources/LatchDesktop/Pages").filter { $0.text.contains("static func page(") }.map(\.name).sorted()
    }

    /// The tests of windows, as suite and function.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        for (suite, text) in try sources("Tests/DesktopTests") {
            for function in text.matches(of: /func (\w+)\(/) { names.insert("\(suite).\(function.1)") }
        }
        return names
    }

    /// The files with Swift in a folder, by the name of their type.
    private func sources(_ path: String) throws -> [(name: String, text: String)] {
        let folder = Self.folder.appending(path: path)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }.map {
            ($0.replacing(".swift", with: ""), try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
    }
}
