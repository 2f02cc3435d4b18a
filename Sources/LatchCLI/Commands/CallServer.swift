import Arguments
import FoundationEssentials
import LatchKit
import Primitives
import Terminal

/// `latch request`: sends a request to the server as the account, and prints the response.
struct CallServer: ExecutableCommand {
    private static let method = Argument<String>(
        "METHOD", completion: .output(of: [LatchProgram.methodsWord]),
        help: "GET, POST, PUT, PATCH, DELETE or another, in either case.")
    private static let path = Argument<String>(
        "PATH", help: "Below the server's address, with a query if need be: /api/me")
    private static let data = Option<String>(
        "data", short: "d", value: "DATA", help: "The body: text, @FILE, or @- for standard input.")
    private static let header = OptionList<String>(
        "header", short: "H", value: "HEADER", help: "Send 'Name: value' too; @FILE reads such lines from a file.")
    private static let include = Flag(
        "include", short: "i", help: "Print status line and header fields before the body.")

    private static let cached = Flag(
        "cached", help: "With GET: an answer kept here that still holds, or when the server cannot be reached.")

    static let command = Command<Request>(
        "request", "Call the server as the account.",
        discussion: """
            The body of the answer goes to standard output as it came. An answer other than 2xx is told on standard error \
            and ends with exit code \(ExitCode.failed.rawValue). The token goes to the account's server only; redirects \
            are not followed.

            A body is sent as application/json when it is JSON, else as a form; --header says otherwise.
            """,
        arguments: [method, path, data, header, include, cached, AccountOption.option]
    ) { given throws(ArgumentError) in
        if given[cached], given[method].uppercased() != "GET" || given[data] != nil {
            throw given.mistake("--cached is for GET without --data")
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
            throw LatchError(.invalidInput, "'\(method.printable)' is no method. Write GET, POST or another.")
        }
        let body = try await body()
        var headers = try await HeaderLines.read(headers, with: .request)
        if data != nil, headers["Content-Type"] == nil { headers["Content-Type"] = Self.mediaType(of: body) }
        let (account, session) = try await context.session(selector)
        let kept = isCached ? try await session.client.cached(path, headers: headers) : nil
        let answer =
            if let kept { kept.answer } else {
                try await session.client.send(HTTPMethod(rawValue: name), path, headers: headers, body: body)
            }
        if let kept { Self.tell(kept, context.console) }
        let place = (path.hasPrefix("/") ? account.serverURL.url : "") + path.prefix { $0 != "?" }
        let question = "\(name) \(place)".printable
        try AnswerText(answer: answer, question: question).show(on: context.console, isIncluding: isIncluding)
        return answer.status.isSuccess ? .done : .failed
    }

    /// Tells the person when the response comes from the cache.
    private static func tell(_ kept: CachedResponse, _ console: Console) {
        switch kept.origin {
        case .server, .revalidated: break
        case .fresh: console.note("Shown as kept here on \(kept.date.forPeople); the server was not asked.")
        case .stale(let error):
            console.warn("Shown as kept here on \(kept.date.forPeople); the server was not reached. \(error.message)")
        }
    }

    private func body() async throws -> [UInt8] {
        guard let data else { return [] }
        guard data.hasPrefix("@") else { return Array(data.utf8) }
        guard data != "@-" else { return try await InputFile.standardInput() }
        return try await InputFile.read(String(data.dropFirst()), what: "the body's file")
    }

    private static func mediaType(of body: [UInt8]) -> String {
        (try? JSONValue(parsing: body)) == nil ? FormURLEncoded.mediaType : JSON.mediaType
    }
}
