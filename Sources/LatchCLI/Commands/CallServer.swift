import Arguments
import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch request`: sends a request to the server as the account, and prints the response.
struct CallServer: ExecutableCommand {
    private static let method = Argument<String>(
        "METHOD", completion: .output(of: [LatchProgram.methodsWord]),
        help: "GET, POST, PUT, PATCH, DELETE or another method, in upper or lower case.")
    private static let path = Argument<String>(
        "PATH", help: "The path below the server's address, with a query if needed: /api/me")
    private static let data = Option<String>(
        "data", short: "d", value: "DATA", help: "The body: text, @FILE, or @- for standard input.")
    private static let header = OptionList<String>(
        "header", short: "H", value: "HEADER", help: "Also send 'Name: value'; @FILE reads such lines from a file.")
    private static let include = Flag(
        "include", short: "i", help: "Print the status line and the header fields before the body.")

    private static let cached = Flag(
        "cached", help: "With GET: use a stored response if it is still valid or the server cannot be reached.")

    static let command = Command<Request>(
        "request", "Send a request to the server as the account.",
        discussion: """
            The body of the response is written to standard output unchanged. A status other than 2xx is reported on \
            standard error, with exit code \(ExitCode.failed.rawValue). The token is sent only to the account's \
            server. Redirects are not followed.

            A body that is JSON is sent as application/json, any other body as a form, unless --header sets the type.
            """,
        arguments: [method, path, data, header, include, cached, AccountOption.option]
    ) { given throws(ArgumentError) in
        if given[cached], given[method].uppercased() != "GET" || given[data] != nil {
            throw given.usageError("--cached requires GET without --data")
        }
        return Request(
            given,
            CallServer(
                selector: given[AccountOption.option], method: given[method], path: given[path], data: given[data],
                headers: given[header], isIncluding: given[include], isCached: given[cached]))
    }

    private let selector: String?
    private let method: String
    private let path: String
    private let data: String?
    private let headers: [String]
    private let isIncluding: Bool
    private let isCached: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let name = method.uppercased()
        guard HTTPHeaders.isSafe(name: name, value: "") else {
            throw LatchError(.invalidInput, "'\(method.printable)' is not a valid method. Use GET, POST or another.")
        }
        let body = try await body()
        var headers = try await HeaderLines.read(headers, with: .request)
        if data != nil, headers["Content-Type"] == nil { headers["Content-Type"] = Self.mediaType(of: body) }
        let (account, session) = try await context.session(selector)
        let cached = isCached ? try await session.client.cached(path, headers: headers) : nil
        let response =
            if let cached { cached.response } else {
                try await session.client.send(HTTPMethod(rawValue: name), path, headers: headers, body: body)
            }
        if let cached { Self.report(cached, context.console) }
        let place = (path.hasPrefix("/") ? account.serverURL.url : "") + path.prefix { $0 != "?" }
        let question = "\(name) \(place)".printable
        try ResponseText(response: response, question: question).show(on: context.console, isIncluding: isIncluding)
        return response.status.isSuccess ? .done : .failed
    }

    /// Tells the person when the response comes from the cache.
    private static func report(_ cached: CachedResponse, _ console: Console) {
        switch cached.origin {
        case .server, .revalidated: break
        case .fresh: console.printMessage("Stored response of \(cached.date.forPeople). The server was not contacted.")
        case .stale(let error):
            console.warn("Stored response of \(cached.date.forPeople). The server was not reached. \(error.message)")
        }
    }

    private func body() async throws -> [UInt8] {
        guard let data else { return [] }
        guard data.hasPrefix("@") else { return Array(data.utf8) }
        guard data != "@-" else { return try await InputFile.standardInput() }
        return try await InputFile.read(String(data.dropFirst()), what: "the body file")
    }

    private static func mediaType(of body: [UInt8]) -> String {
        (try? JSONValue(parsing: body)) == nil ? FormURLEncoded.mediaType : JSON.mediaType
    }
}
