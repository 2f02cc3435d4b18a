package import HTTPMessages
import Primitives

extension HTTPHeaders {
    /// Whether the sender of a request shows the response to a person: `Accept` names HTML, with a quality above 0.
    ///
    /// Source: RFC 9110 §12.5.1.
    package var acceptsPage: Bool {
        values("Accept").contains { $0.split(atByte: ",").contains(where: Self.isPage) }
    }

    private static func isPage(_ entry: Substring) -> Bool {
        let parts = entry.lowercased().filter { $0 != " " && $0 != "\t" }.split(atByte: ";")
        guard parts.first == "text/html" else { return false }
        return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
    }
}
