import Crypto
public import FoundationEssentials
public import HTTPClient
public import HTTPMessages

/// Requests whose bodies are values of the program, as JSON.
///
/// All of them throw a ``LatchError`` with the server's own message when the response is not a success:
/// ``LatchError/Code/serverError`` for 5xx, ``LatchError/Code/rateLimited`` for 429, otherwise
/// ``LatchError/Code/serverRefused``. ``LatchError/status`` distinguishes a missing resource from a forbidden one.
extension AuthorizedClient {
    /// Gets a resource.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``.
    ///   - type: The type of the resource.
    ///   - headers: Additional header fields.
    ///   - decoder: The decoder of the response.
    /// - Returns: The resource.
    /// - Throws: The errors of ``send(_:_:headers:body:)``; ``LatchError/Code/serverRefused``,
    ///   ``LatchError/Code/serverError`` or ``LatchError/Code/rateLimited`` for a status that is not a success;
    ///   ``LatchError/Code/unreadableResponse`` for a response that is not such a value.
    public func get<Value: Decodable>(
        _ path: String, as type: Value.Type, headers: HTTPHeaders = [:], decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let response = try await checked(.get, path, headers: headers)
        return try read(type, from: response, to: .get, at: path, decoder: decoder)
    }

    /// Sends a value with `POST` and reads the response.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``.
    ///   - body: The value to send.
    ///   - type: The type of the response.
    ///   - headers: Additional header fields.
    ///   - encoder: The encoder of the request.
    ///   - decoder: The decoder of the response.
    /// - Returns: The value in the response.
    /// - Throws: The errors of ``get(_:as:headers:decoder:)``; ``LatchError/Code/invalidRequest`` for a value that
    ///   JSON cannot express. Nothing was sent then.
    public func post<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type, headers: HTTPHeaders = [:],
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let response = try await sending(.post, path, body: body, headers: headers, encoder: encoder)
        return try read(type, from: response, to: .post, at: path, decoder: decoder)
    }

    /// Sends a value with `POST`; see ``post(_:_:as:headers:encoder:decoder:)``.
    @discardableResult
    public func post(
        _ path: String, _ body: some Encodable, headers: HTTPHeaders = [:], encoder: JSONEncoder = JSONEncoder()
    ) async throws -> ClientResponse {
        try await sending(.post, path, body: body, headers: headers, encoder: encoder)
    }

    /// Sends a value with `PUT` and reads the response; see ``post(_:_:as:headers:encoder:decoder:)``.
    public func put<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type, headers: HTTPHeaders = [:],
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let response = try await sending(.put, path, body: body, headers: headers, encoder: encoder)
        return try read(type, from: response, to: .put, at: path, decoder: decoder)
    }

    /// Sends a value with `PUT`; see ``post(_:_:as:headers:encoder:decoder:)``.
    @discardableResult
    public func put(
        _ path: String, _ body: some Encodable, headers: HTTPHeaders = [:], encoder: JSONEncoder = JSONEncoder()
    ) async throws -> ClientResponse {
        try await sending(.put, path, body: body, headers: headers, encoder: encoder)
    }

    /// Sends a value with `PATCH` and reads the response; see ``post(_:_:as:headers:encoder:decoder:)``.
    public func patch<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type, headers: HTTPHeaders = [:],
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let response = try await sending(.patch, path, body: body, headers: headers, encoder: encoder)
        return try read(type, from: response, to: .patch, at: path, decoder: decoder)
    }

    /// Sends a value with `PATCH`; see ``post(_:_:as:headers:encoder:decoder:)``.
    @discardableResult
    public func patch(
        _ path: String, _ body: some Encodable, headers: HTTPHeaders = [:], encoder: JSONEncoder = JSONEncoder()
    ) async throws -> ClientResponse {
        try await sending(.patch, path, body: body, headers: headers, encoder: encoder)
    }

    /// Sends a `DELETE` request.
    ///
    /// - Throws: The errors of ``get(_:as:headers:decoder:)``.
    @discardableResult
    public func delete(_ path: String, headers: HTTPHeaders = [:]) async throws -> ClientResponse {
        try await checked(.delete, path, headers: headers)
    }

    /// Downloads a file. It appears at its destination only when it is complete. Nothing remains after a failure; the
    /// end of the program leaves a file with the extension `.part` next to the destination.
    ///
    /// `LatchDownloads` keeps a queue of downloads that survives the end of the program and resumes them.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``. Redirects are followed; credentials are not sent to
    ///     another origin.
    ///   - destination: The path of the file. Its folder must exist.
    ///   - replacesExisting: Whether an existing file is replaced.
    /// - Throws: The errors of ``get(_:as:headers:decoder:)``; ``LatchError/Code/fileFailed`` when the file cannot be
    ///   written or already exists.
    public func download(_ path: String, to destination: String, replacesExisting: Bool = false) async throws {
        let part = try await LatchError.converting(server) { try DownloadPart(newBeside: destination) }
        do {
            let response = try await download(path, into: part, followsRedirects: true)
            // 206 when the download continued at another address of the server.
            guard [200, 206].contains(response.status.rawValue) else {
                throw response.status.isSuccess ? noFile(response, path) : refused(response)
            }
            part.share()
            try await LatchError.converting(server) {
                try await part.publish(as: destination, replacesExisting: replacesExisting)
            }
        } catch {
            part.remove()
            throw error
        }
    }

    private func noFile(_ response: ClientResponse, _ path: String) -> LatchError {
        LatchError(
            .unreadableResponse,
            "The response of \(server) to GET \(Self.withoutQuery(path)) has no file (status \(response.status)).",
            status: response.status)
    }

    private static func withoutQuery(_ path: String) -> Substring { path.prefix { $0 != "?" } }

    private func sending(
        _ method: HTTPMethod, _ path: String, body: some Encodable, headers: HTTPHeaders, encoder: JSONEncoder
    ) async throws -> ClientResponse {
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(body))
        } catch {
            throw LatchError(
                .invalidRequest,
                "The body of \(method) \(Self.withoutQuery(path)) cannot be written as JSON, so nothing was sent"
                    + Self.place(of: error) + ".")
        }
        var headers = headers
        if headers["Content-Type"] == nil { headers["Content-Type"] = JSON.mediaType }
        return try await checked(method, path, headers: headers, body: bytes)
    }

    private func checked(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders, body: [UInt8] = []
    ) async throws -> ClientResponse {
        var headers = headers
        if headers["Accept"] == nil { headers["Accept"] = JSON.mediaType }
        let response = try await send(method, path, headers: headers, body: body)
        guard response.status.isSuccess else { throw refused(response) }
        return response
    }

    private func read<Value: Decodable>(
        _ type: Value.Type, from response: ClientResponse, to method: HTTPMethod, at path: String,
        decoder: JSONDecoder
    ) throws(LatchError) -> Value {
        do {
            // This parser has limits and repairs text; the decoder does neither.
            let isSafe = (try? JSONValue(parsing: response.body, repairsText: false)) != nil
            let body = isSafe ? response.body : try JSONValue(parsing: response.body).encoded()
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw LatchError(
                .unreadableResponse,
                "The response of \(server) to \(method) \(Self.withoutQuery(path)) is not a \(type): "
                    + "\(Self.problem(error)). The server may have another version.",
                status: response.status)
        }
    }

    /// Returns what is wrong with the response, without quoting it.
    private static func problem(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "'\(name(context.codingPath + [key]))' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "'\(name(context.codingPath))' has another type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "'\(name(context.codingPath))' has an invalid value"
        case DecodingError.dataCorrupted, is MessageError: "it is not valid JSON, or it is too large"
        default: "its values are not accepted"
        }
    }

    /// Returns where in the value an encoding error occurred, without quoting the value.
    private static func place(of error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error, !context.codingPath.isEmpty else { return "" }
        return ": '\(name(context.codingPath))' has no form in JSON"
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.map(\.stringValue).joined(separator: ".")
    }
}
