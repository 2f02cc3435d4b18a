import HTTPClient
import HTTPMessages
import TestSupport

/// A client that reaches the gateways through HAProxy or nginx, and records what it sees.
struct ProxyClient: Sendable {
    let name: String
    /// The address of the proxy, such as `https://127.80.1.9:24443`.
    let address: String
    let client: HTTPClient
    let record: FailoverRecord

    /// Sends a request, with `GET` or `POST` unless another method is given.
    ///
    /// - Returns: The answer, or nil for an error answer, after which the request may have had its effect or not.
    func send(
        _ access: FailoverRecord.Access, _ path: String, method: HTTPMethod? = nil, token: String? = nil,
        form: [(String, String)]? = nil, json: JSONValue? = nil
    ) async throws -> ClientResponse? {
        var headers: HTTPHeaders = ["Host": ManyMachines.host]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if form != nil { headers["Content-Type"] = FormURLEncoded.mediaType }
        if json != nil { headers["Content-Type"] = JSON.mediaType }
        let body = form.map { Array(FormURLEncoded.encode($0).utf8) } ?? json?.encoded() ?? []
        do {
            let response = try await client.send(
                ClientRequest(
                    method: method ?? (access == .reads ? .get : .post), url: address + path, headers: headers,
                    body: body, timeout: SuccessTimeout.duration))
            record.answered(
                name, access, response.status, hasRetryAfter: response.headers["Retry-After"] != nil)
            if response.status.rawValue < 500 { return response }
        } catch let error as TransportError {
            record.addViolation("\(name) got no answer to \(path): \(error)")
        }
        // Sooner than a real client tries again, so that the end of an outage is seen.
        try await Task.sleep(for: .milliseconds(50))
        return nil
    }
}
