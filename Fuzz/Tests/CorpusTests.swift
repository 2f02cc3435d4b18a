import Foundation
import Testing

@Suite struct CorpusTests {
    @Test("Every input of the corpus fulfils its parser's invariants", arguments: FuzzedParser.all.map(\.name))
    func corpus(_ name: String) async throws {
        let parser = try #require(FuzzedParser.named(name))
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Corpus/\(name)")

        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)

        #expect(!files.isEmpty, "Fuzz/Corpus/\(name) has no input")
        for file in files { try await check(parser, [UInt8](Data(contentsOf: file)), file.lastPathComponent) }
    }

    @Test("Every folder of the corpus has a parser")
    func folders() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Corpus")

        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)

        #expect(Set(found).subtracting(["README.md"]) == Set(FuzzedParser.all.map(\.name)))
    }

    private func check(_ parser: FuzzedParser, _ input: [UInt8], _ what: String) async throws {
        do {
            try await parser.check(input)
        } catch {
            Issue.record("\(parser.name), \(what): \(error)")
        }
    }
}
