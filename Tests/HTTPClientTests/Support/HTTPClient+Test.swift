import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// What `/echo` saw.
struct Echo {
    let value: JSONValue

    init(_ response: ClientResponse) throws { value = try JSONValue(parsing: response.body) }

    var method: String? { value["method"]?.string }
    var target: String? { value["target"]?.string }
    var body: String? { value["body"]?.string }
    var client: String? { value["client"]?.string }
    var connection: Int? { (value["connection"]?.number).map { Int($0) } }

    func header(_ name: String) -> String? {
        value["headers"]?.array?.first { HTTPHeaders.namesAreEqual($0.array?.first?.string ?? "", name) }?.array?.last?
            .string
    }
}

/// Runs `body` with a client that uses no proxy unless told, and closes it.
func withClient<R>(
    _ configuration: HTTPClient.Configuration = .init(), _ body: (HTTPClient) async throws -> R
) async throws -> R {
    var configuration = configuration
    if configuration.proxy == nil { configuration.proxy = "" }
    return try await HTTPClient(configuration).closeAfter(body)
}

/// The error that sending `request` throws.
func failure(
    _ request: ClientRequest, _ configuration: HTTPClient.Configuration = .init(),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> TransportError {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) {
        try await withClient(configuration) { _ = try await $0.send(request) }
    }
    return try #require(error, sourceLocation: sourceLocation)
}
