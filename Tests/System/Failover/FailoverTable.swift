import Foundation

/// What clients saw of each kind of fault, as a table in Markdown.
struct FailoverTable {
    let text: String

    init(_ events: [FailoverRecord.Event]) {
        var lines = [
            "| fault | times | error answers | reading: median, longest | changing: median, longest |",
            "|---|---|---|---|---|",
        ]
        for kind in FaultKind.allCases {
            let events = events.filter { $0.kind == kind }
            guard !events.isEmpty else { continue }
            let errors = events.reduce(0) { $0 + $1.errors }
            let times = FailoverRecord.Access.allCases.map { access in
                let sorted = events.map { $0.longest[access] ?? .zero }.sorted()
                return "\(Self.seconds(sorted[sorted.count / 2])), \(Self.seconds(sorted[sorted.count - 1]))"
            }
            lines.append("| \(kind.rawValue) | \(events.count) | \(errors) | \(times.joined(separator: " | ")) |")
        }
        text = lines.joined(separator: "\n")
    }

    private static func seconds(_ duration: Duration) -> String {
        guard duration > .zero else { return "none" }
        let tenths = (duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000)
        return tenths == 0 ? "below 0.1 s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
