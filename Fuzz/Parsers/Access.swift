import HTTPMessages

@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPServer

extension FuzzedParser {
    static let access = [
        // A path and the pattern of a rule, one a line.
        FuzzedParser("access-path") { input in
            let lines = input.lines(2).map(\.text)
            guard let path = AccessPath(lines[0][...]) else { return }
            // What every server does to a path changes nothing about it.
            let parts = path.text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            try require(
                path.text.hasPrefix("/") && parts.dropLast().allSatisfy { !$0.isEmpty }
                    && !parts.contains(".") && !parts.contains(".."), "A path has a component that servers take away.")
            try require(
                !path.text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C || $0 == 0x3B },
                "A path has a character that some server gives a meaning.")
            try require(
                path.text.utf8.count { $0 == 0x2F } == lines[0].utf8.count { $0 == 0x2F }, "An escape became a slash.")
            if path.isCertain {
                let sent = PercentEncoding.encode(path.text) { PercentEncoding.isUnreserved($0) || $0 == 0x2F }
                try require(AccessPath(sent[...])?.text == path.text, "A path is not the same when it is forwarded.")
            }
            if let cut = path.cut {
                try require(
                    cut.isCertain && cut.text.hasPrefix("/") && path.text.hasPrefix(cut.text) && cut.text != path.text
                        && !cut.text.utf8.contains { $0 == 0x3F || $0 == 0x23 },
                    "A path is cut elsewhere than at a mark.")
            }
            guard lines.count == 2, let pattern = AccessPathPattern(lines[1]), pattern.covers(path) else { return }
            let stem = lines[1].prefix { $0 != "*" }.utf8.count
            try require(stem <= lines[1].utf8.count, "A pattern has no stem.")
        },
        // Name: value lines, as a trusted proxy sends them.
        FuzzedParser("forwarded-request") { input in
            var headers = HTTPHeaders()
            for line in input.lines(32) {
                let halves = line.text.split(separator: ":", maxSplits: 1).map(String.init)
                guard halves.count == 2 else { continue }
                headers.append(halves[0], String(halves[1].drop { $0 == " " }))
            }
            let request = ServerRequest(
                id: "fuzz", method: .get, path: "/auth/verify", rawQuery: nil, headers: headers, body: [], peer: .unix,
                isTLS: false)
            guard let read = try? ForwardedRequest(request) else { return }
            try require(AccessHost(read.host.description) == read.host, "A host is not the same when it is read again.")
            try require(
                HTTPHeaders.isSafe(name: "Location", value: read.origin + read.target), "An address breaks a header.")
            for name in [
                "X-Forwarded-Uri", "X-Forwarded-Host", "X-Forwarded-Method", "X-Forwarded-Proto", "Destination",
            ] {
                try require(headers.values(name).count <= 1, "\(name) stands twice and was believed.")
            }
        },
        // An address in question; one host is known.
        FuzzedParser("return-address") { input in
            let known = AccessHost("app.example.org")
            guard let address = ReturnAddress.check(input.text, allowsHost: { host, _ in host == known }) else {
                return
            }
            let text = address.text
            try require(
                HTTPHeaders.isSafe(name: "Location", value: text), "An address is allowed that breaks a header.")
            let isLocal = text.hasPrefix("/") && !text.hasPrefix("//") && !text.hasPrefix("/\\")
            let isKnown = ["https://app.example.org", "http://app.example.org"].contains {
                text == $0 || text.hasPrefix($0 + "/")
            }
            try require(isLocal || isKnown, "An address leads elsewhere.")
        },
    ]
}
