package import HTTPMessages

/// The logo of a server: the first letter or digit of its name on a tile.
package enum PageMark {
    package static func html(of server: String) -> HTML {
        let letter = server.first { $0.isLetter || $0.isNumber }
        return "<span class=\"mark\" aria-hidden=\"true\">\(letter.map { String($0).uppercased() } ?? "·")</span>"
    }
}
