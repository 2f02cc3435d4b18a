import Foundation
import Testing

@Suite struct CorpusTests {
    @Test("Every input of the corpus keeps what its parser promises", arguments: FuzzedParser.all.map(\.name))
    func corpus(_ name: String) async throws {
        let parser = try #require(FuzzedParser.named(name))
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Corpus/\(name)")

        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)

        #expect(!files.isEmpty, "Fuzz/Corpus/\(name) has no input")
        for file in files { try await check(parser, [UInt8](Data(contentsOf: file)), file.lastPathComponent) }
    }

    @Test(
        "Every prefix and every input with one byte changed keeps it as well", arguments: FuzzedParser.all.map(\.name))
    func neighbours(_ name: String) async throws {
        let parser = try #require(FuzzedParser.named(name))
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let smallest = try files.map { [UInt8](try Data(contentsOf: $0)) }.sorted { $0.count < $1.count }.prefix(4)

        for input in smallest where input.count <= 200 {
            for index in input.indices {
                try await check(parser, Array(input[..<index]), "a prefix of \(index) bytes")
                var changed = input
                changed[index] ^= 0x20
                try await check(parser, changed, "a change at byte \(index)")
            }
        }
    }

    @Test("No folder of the corpus is left without its parser")
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
