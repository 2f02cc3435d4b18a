import Foundation
import TestSupport
import Testing

/// The matrix of docs/web-pages.md: every flow of the pages and of OAuth, in Chromium and Firefox, behind nginx and Caddy. An
/// error on the console, a blocked or failed request, and an unexpected status fail a flow.
@Suite(.browserFlows, .timeLimit(.minutes(20))) struct BrowserFlowTests {
    /// The names in the first column of the matrix.
    private static let flows: [String] = {
        let text = (try? String(contentsOfFile: Products.packageFolder + "/docs/web-pages.md", encoding: .utf8)) ?? ""
        let table = text.split(separator: "| flow |", maxSplits: 1).dropFirst().first ?? ""
        return table.split(separator: "\n\n")[0].split(separator: "\n").dropFirst(2).compactMap { line in
            line.split(separator: "|").first?.trimmingCharacters(in: .whitespaces.union(["`"]))
        }
    }()

    private static let rows = flows.flatMap { flow in
        BrowserSite.Proxy.allCases.flatMap { proxy in
            BrowserFlows.Browser.allCases.map { BrowserFlows.Row(flow: flow, browser: $0, proxy: proxy) }
        }
    }

    @Test("a person gets through a flow without an error on the console or a blocked request", arguments: rows)
    func flow(_ row: BrowserFlows.Row) async throws {
        try await #require(BrowserFlows.current).finish(row)
    }

    @Test("the matrix in docs/web-pages.md is what runs")
    func matrix() async throws {
        let text = try String(contentsOfFile: Products.packageFolder + "/docs/web-pages.md", encoding: .utf8)
        #expect(text.contains(try await BrowserFlows.printed("--matrix")))
        #expect(!Self.rows.isEmpty)
    }
}
