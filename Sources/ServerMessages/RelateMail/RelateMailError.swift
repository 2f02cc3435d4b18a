package import HTTPMessages

/// An error of a Relate Mail server, in either of its envelopes.
///
/// Source: docs/protocols/relate-mail.md, Errors.
package enum RelateMailError: Sendable, Equatable {
    /// The envelope of the server's own checks: `{"error": text}`.
    case sentence(String)
    /// The envelope of the framework: `application/problem+json`. `errors` has the errors for each member of the
    /// request body.
    case problem(title: String, errors: [String: [String]])

    /// The media type of ``problem(title:errors:)``.
    package static let problemType = "application/problem+json"

    /// Reads an error from a body. Returns nil when the body has neither envelope.
    package init?(body: [UInt8]) {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        if let text = value["error"]?.string {
            self = .sentence(text)
        } else if let title = value["title"]?.string {
            let pairs = (value["errors"]?.members ?? []).map { member in
                (member.name, (member.value.array ?? []).compactMap(\.string))
            }
            self = .problem(title: title, errors: Dictionary(pairs) { first, _ in first })
        } else {
            return nil
        }
    }

    /// The text to show to a person.
    package var text: String {
        switch self {
        case .sentence(let text): text
        case .problem(let title, _): title
        }
    }

    /// Returns the error as JSON.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - trace: The id of the request.
    /// - Returns: The body of the response.
    ///
    /// Source: RFC 9457 §3.1.
    package func body(status: HTTPStatus, trace: String) -> [UInt8] {
        switch self {
        case .sentence(let text): return (["error": .string(text)] as JSONValue).encoded()
        case .problem(let title, let errors):
            var members: [JSONValue.Member] = [
                .init("type", .string(Self.section(status))), .init("title", .string(title)),
                .init("status", .number(Double(status.rawValue))),
            ]
            if !errors.isEmpty {
                let rows = errors.sorted { $0.key < $1.key }.map { name, texts in
                    JSONValue.Member(name, .array(texts.map(JSONValue.string)))
                }
                members.append(.init("errors", .object(rows)))
            }
            members.append(.init("traceId", .string(trace)))
            return JSONValue.object(members).encoded()
        }
    }

    /// Returns the address of the description of a status, which is the type of a problem.
    private static func section(_ status: HTTPStatus) -> String {
        let code = status.rawValue
        guard let number = sections[code] else { return "about:blank" }
        return "https://tools.ietf.org/html/rfc9110#section-15.\(code / 100 + 1).\(number)"
    }

    /// The section numbers of the statuses.
    ///
    /// Source: RFC 9110 §15.5 and §15.6.
    private static let sections = [
        400: 1, 401: 2, 403: 4, 404: 5, 405: 6, 408: 9, 413: 14, 415: 16, 417: 18, 422: 21, 500: 1, 501: 2, 503: 4,
        505: 6,
    ]
}
