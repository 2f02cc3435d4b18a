import Foundation
import TestSupport
import Testing

@testable import GatewayHTTP

/// The classes of the style sheet against those in the sources of all pages. The sources, because no test visits a page
/// in each of its forms.
@Suite("Style sheet")
struct StyleSheetTests {
    @Test("every class of a page is in the style sheet, and every class of the style sheet is on a page")
    func classes() throws {
        let styled = Set(WebPage.style.description.matches(of: #/\.([a-z][a-z-]*)/#).map { String($0.1) })
        var used: [String: String] = [:]
        for file in try Self.sources() {
            for name in ClassAttributes(in: try String(contentsOf: file, encoding: .utf8)).names {
                used[name] = file.lastPathComponent
            }
        }
        #expect(styled.count > 30 && used.count > 30)
        for (name, file) in used.sorted(by: { $0.key < $1.key }) {
            #expect(styled.contains(name), "\(file) has the class '\(name)', which the style sheet lacks.")
        }
        for name in styled.subtracting(used.keys).sorted() {
            Issue.record("The style sheet has the class '\(name)', which no page has.")
        }
    }

    @Test(
        "classes are found in every form in which a page can have them",
        arguments: [
            (#"<p class="or">"#, ["or"]),
            (##"" <p class=\"block other\">" "##, ["block", "other"]),
            (##"<a class="button block\(again == nil ? "" : " other")" href="x">"##, ["block", "button", "other"]),
            (##"<a class=\"button\(link ? "" : " plain")\" href=\"x\">"##, ["button", "plain"]),
            (##"<button class="\(word == "disable" ? "harm" : "other")">"##, ["harm", "other"]),
            (##"<main id="main"\(attribute: "class", isWide ? "wide" : nil)>"##, ["wide"]),
        ])
    func forms(_ source: String, _ names: [String]) {
        #expect(ClassAttributes(in: source).names == Set(names))
    }

    /// The Swift files of all programs.
    private static func sources() throws -> [URL] {
        let folder = URL(filePath: Products.packageFolder + "/Sources")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
        return names.filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0) }
    }
}
