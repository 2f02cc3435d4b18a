@testable import GatewayCore
@testable import HTTPMessages

extension FuzzedParser {
    static let pages = [
        // Whatever stands in a page, no new tag, attribute or entity begins.
        FuzzedParser("html") { input in
            let page: HTML = "<a title=\"\(input.text)\" href=\"\(link: input.text)\">\(input.text)</a>"
            let inner = page.markup.utf8.filter { "<>\"'".utf8.contains($0) }
            try require(inner.count == 8, "Text became markup.")
            let markup = page.markup.lowercased()
            try require(!markup.contains("href=\"javascript:"), "A link runs something.")
        },
        FuzzedParser("browser-name") { input in
            guard let name = BrowserName.name(of: input.text) else { return }
            try require(name.utf8.count < 40, "A browser has a long name.")
        },
    ]
}
