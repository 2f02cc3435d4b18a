@testable import HTTPMessages
@testable import HTTPServer
@testable import PictureLibrary

extension FuzzedParser {
    static let files = [
        // A size, an entity tag and a date, then `Name: value` lines.
        FuzzedParser("file-conditions") { input in
            let lines = input.lines(12).map(\.text)
            guard lines.count >= 3, let size = Int(lines[0]), size >= 0, let tag = EntityTag(lines[1]), !tag.isWeak,
                let modified = HTTPDate(lines[2], now: 1_700_000_000)
            else { return }
            let headers = HTTPHeaders(
                lines[3...].compactMap { line in
                    let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                    guard parts.count == 2 else { return nil }
                    let value = String(parts[1].drop { $0 == " " })
                    return HTTPHeaders.isSafe(name: parts[0], value: value) ? .init(name: parts[0], value: value) : nil
                })
            let conditions = Preconditions(
                method: .get, headers: headers, tag: tag, modified: modified, now: 1_700_000_000)
            let without = Preconditions(method: .head, headers: headers, tag: tag, modified: modified, now: 0)
            try require(without.range == nil, "HEAD has a range.")
            switch conditions.outcome {
            case .notModified:
                try require(
                    headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil, "304 came of nothing.")
            case .failed:
                try require(
                    headers["If-Match"] != nil || headers["If-Unmodified-Since"] != nil, "412 came of nothing.")
            case .proceed: break
            }
            guard let range = conditions.range else { return }
            try require(headers.values("Range").count == 1, "A range came of no Range field, or of two.")
            if case .part(let part) = range.resolved(size) {
                try require(
                    !part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(part) is not in \(size) bytes."
                )
            }
            if let condition = headers["If-Range"], let named = EntityTag(condition) {
                try require(named.matchesStrongly(tag), "A range was taken of another file.")
            }
        },
        FuzzedParser("http-date") { input in
            guard let date = HTTPDate(input.text, now: 1_700_000_000) else { return }
            try require(HTTPDate(date.text, now: 1_700_000_000) == date, "\(date.text) is read as another date.")
        },
        FuzzedParser("archive-names") { input in
            var names = ArchiveNames()
            var seen: Set<String> = []
            for line in input.lines(20) {
                let name = names.add(line.text)
                try require(
                    !name.isEmpty && name.utf8.count <= 255 && name != "." && name != "..", "The name is \(name).")
                try require(
                    name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"/\\:".unicodeScalars.contains($0) },
                    "The name \(name) leads elsewhere.")
                try require(seen.insert(name.lowercased()).inserted, "The name \(name) is there twice.")
            }
        },
    ]
}
