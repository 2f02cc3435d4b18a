import FoundationEssentials

@testable import GatewayHTTP
@testable import HTTPMessages
@testable import HTTPServer

extension FuzzedParser {
    static let requests = [
        FuzzedParser("request-target") { input in
            for method in [HTTPMethod.get, .options] {
                guard let target = try? RequestTarget(input.text, method: method) else { continue }
                try require(
                    target.path.hasPrefix("/") || target.path == "*" && method == .options,
                    "The path \(target.path) was accepted.")
                let components = RequestTarget.components(of: target.path)
                try require(
                    !components.contains { $0 == "." || $0 == ".." || $0.utf8.contains(0) },
                    "A path that climbs, or with a NUL, was accepted: \(target.path).")
                try require(!target.path.contains("?"), "The query is in the path.")
                if let query = target.query {
                    try require((try? FormURLEncoded.decode(query)) != nil, "A query that cannot be read was accepted.")
                }
            }
        },
        // A head as libmicrohttpd hands it over: the line breaks and colons are NULs.
        FuzzedParser("request-head") { input in
            let bytes = input.isEmpty ? [0] : input
            let first = bytes.firstIndex(of: 0) ?? 0
            let target = bytes[min(first + 1, bytes.count)...]
            let targetCount = (target.firstIndex(of: 0) ?? target.endIndex) - target.startIndex
            let fields = bytes.indices.dropFirst().count { bytes[$0 - 1] == 0 && bytes[$0] == 0 } - 2
            let head = bytes.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.flatMap { start in
                    try? RequestHead(
                        start: start, count: buffer.count, targetOffset: first + 1, targetCount: targetCount,
                        fieldCount: fields)
                }
            }
            guard let head else { return }
            for field in head.headers {
                try require(
                    HTTPHeaders.isSafe(name: field.name, value: field.value), "The field \(field.name) is not safe.")
                try require(field.value.first != " " && field.value.last != "\t", "A value keeps its blanks.")
            }
            try require(head.headers.values("Host").count <= 1, "Two Host fields were accepted.")
            try require(
                head.headers["Content-Length"] == nil || head.headers["Transfer-Encoding"] == nil,
                "Content-Length was accepted together with Transfer-Encoding.")
            try require(head.contentLength ?? 0 >= 0, "The length of a body is negative.")
        },
        // The value of an Authorization field.
        FuzzedParser("basic-credentials") { input in
            guard let basic = BasicCredentials(input.text) else { return }
            try require(!basic.name.contains(0x3A), "A name has a colon, at which a password begins.")
            let again = "Basic " + (basic.name + [0x3A] + basic.password).base64EncodedString()
            let read = BasicCredentials(again)
            try require(
                read?.name == basic.name && read?.password == basic.password,
                "Credentials are others when they are read again.")
        },
        FuzzedParser("bearer-token") { input in
            let headers = HTTPHeaders(
                input.lines(4).map { HTTPHeaders.Field(name: "Authorization", value: $0.text) })
            let request = ServerRequest(
                id: "fuzz", method: .get, path: "/", rawQuery: nil, headers: headers, body: [], peer: .unix,
                isTLS: false)
            guard let token = RequestTokens(request, cookie: nil).bearer else { return }
            try require(headers.fields.count == 1, "A token was taken from several fields.")
            try require(
                !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2C },
                "A token was accepted that the grammar does not know.")
        },
    ]
}
