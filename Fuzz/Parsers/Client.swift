import Foundation

@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchKit

extension FuzzedParser {
    static let client = [
        FuzzedParser("client-log") { input in
            for entry in ClientLog.read(input) {
                let line = JSON.encode(entry)
                try require(!line.contains(10), "A line of the log holds a line feed.")
                try require(
                    ClientLog.read(line).first?.outcome == entry.outcome, "A line is another when it is read again.")
                try require(LogEntry.word(entry.outcome).utf8.count <= 40, "A reason is longer than a log takes.")
            }
        },
        FuzzedParser("cache-control") { input in
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let lines = input.lines(5).map(\.text)
            var headers: HTTPHeaders = ["Cache-Control": lines[0]]
            if lines.count > 1 { headers["Vary"] = lines[1] }
            if lines.count > 2 { headers["Age"] = lines[2] }
            if lines.count > 3 { headers["Expires"] = lines[3] }
            if lines.count > 4 { headers["Date"] = lines[4] }
            let response = ClientResponse(status: .ok, headers: headers)
            guard let stored = CacheRules.stored(response, to: [:], now: now) else { return }
            let lifetime = stored.freshUntil.timeIntervalSince(now)
            try require((0...31_536_000).contains(lifetime), "An answer holds \(lifetime) seconds.")
            try require(!stored.varies.contains("*"), "An answer that depends on everything was kept.")
        },
    ]
}
