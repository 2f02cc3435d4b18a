import Foundation
import TestSupport
import Testing

@testable import QRCode

@Suite struct QRCodeTests {
    private static let address = "http://127.0.0.1:3001/auth/login?redirect_uri=timetracker://oauth/callback&state=abc"

    /// What a camera sees: a grey picture, eight points a module.
    private func picture(_ lines: [String], inkIsDark: Bool) -> [UInt8] {
        let rows = lines.flatMap { line -> [[Bool]] in
            let cells = Array(line.replacing(#/\u{1B}\[[0-9;]*m/#, with: ""))
            return [cells.map { "█▀".contains($0) }, cells.map { "█▄".contains($0) }]
        }
        let points = rows.flatMap { row in
            let line = row.flatMap { [UInt8](repeating: $0 == inkIsDark ? 0 : 255, count: 8) }
            return (0..<8).flatMap { _ in line }
        }
        return Array("P5 \(rows[0].count * 8) \(rows.count * 8) 255\n".utf8) + points
    }

    @Test("A camera can read the address from light and dark terminals", arguments: [true, false])
    func read(_ isColored: Bool) async throws {
        let code = try #require(QRCode(Self.address))
        let lines = code.lines(isColored: isColored)
        let folder = try TemporaryDirectory()
        // With colours what is written is black; without it is what shines.
        try Data(picture(lines, inkIsDark: isColored)).write(to: URL(fileURLWithPath: folder.file("code.pgm")))
        let answer = try await Program.run("zbarimg", ["--quiet", "--raw", folder.file("code.pgm")])
        #expect(answer.output == Self.address + "\n", "\(answer.errors)")
    }

    @Test("The code has its quiet zone on all sides, and every line the same width")
    func quiet() throws {
        let code = try #require(QRCode(Self.address))
        let lines = code.lines(isColored: false)
        #expect(lines.allSatisfy { $0.count == code.columns } && code.columns == code.size + 8)
        #expect(lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == "█" } })
        #expect(lines.allSatisfy { $0.hasPrefix("████") && $0.hasSuffix("████") })
        #expect(lines.count == (code.size + 9) / 2)
    }

    @Test("A text of the maximum length has a code, a longer or empty one has none")
    func limits() {
        #expect(QRCode(String(repeating: "x", count: 2_953))?.size == 177)
        #expect(QRCode(String(repeating: "x", count: 2_954)) == nil && QRCode("") == nil)
    }
}
