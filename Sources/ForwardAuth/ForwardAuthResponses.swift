import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The responses to reverse proxies.
enum ForwardAuthResponses {
    /// Returns the 200 response with header fields about the person, which the proxy passes to the backend. The fields
    /// are plain ASCII for any name.
    ///
    /// `X-Auth-User` is the id, which never changes, unlike an e-mail address. Everything but visible ASCII is
    /// percent-encoded as UTF-8. So are `%`, and `{` and `}`, because Caddy writes its placeholders in braces. In a
    /// name all but unreserved characters are encoded. In a group commas are encoded too, because commas separate the
    /// groups.
    ///
    /// `X-Auth-Email` is left out for an address that is not verified. The response to a traced request has the fields of
    /// its trace with a new span, which the proxy can pass on.
    ///
    /// `hidesAuthorization` says whether the backend must not get `Authorization`. `X-Auth-Credential` tells the proxy so.
    static func welcome(_ visitor: AuthenticatedPerson?, hidesAuthorization: Bool) -> ServerResponse {
        var response = visitor.map(identity) ?? anonymous
        if hidesAuthorization { response.headers.append("X-Auth-Credential", "key") }
        for field in TraceContext.current?.fields() ?? [] { response.headers.append(field.name, field.value) }
        return response
    }

    private static func identity(_ visitor: AuthenticatedPerson) -> ServerResponse {
        let person = visitor.person
        var fields = [
            HTTPHeaders.Field(name: "Cache-Control", value: "no-store"),
            HTTPHeaders.Field(name: "X-Auth-User", value: person.id.uuidString.lowercased()),
        ]
        if let email = person.provedAddress {
            fields.append(HTTPHeaders.Field(name: "X-Auth-Email", value: encode(email.text, isVisible)))
        }
        if let session = visitor.session {
            fields.append(HTTPHeaders.Field(name: "X-Auth-Session", value: session.rawValue))
        }
        if let name = person.name, !name.isEmpty {
            let encoded = encode(name, PercentEncoding.isUnreserved)
            fields.append(HTTPHeaders.Field(name: "X-Auth-Name", value: encoded))
        }
        if !visitor.groups.isEmpty {
            fields.append(HTTPHeaders.Field(name: "X-Auth-Groups", value: list(visitor.groups)))
        }
        return ServerResponse(status: .ok, headers: HTTPHeaders(fields))
    }

    /// The 200 response without a person, where everyone is allowed.
    private static let anonymous = ServerResponse.emptyOK

    /// The 403 response to a signed-in person without access, or where access is denied to everyone.
    static let forbidden = sentence(.forbidden, "You do not have access to this address.")

    /// The 403 response to a request with a browser's cookie that a page of another origin sent.
    static let foreignOrigin = sentence(
        .forbidden,
        "A page of another origin sent this request. Name the host of that page in an access rule to allow it.")

    /// The 403 response to a peer that is not a trusted proxy.
    static let untrusted = sentence(.forbidden, "Only a trusted proxy may send this request.")

    /// Returns a 429 response after too many wrong keys. For nginx it is 403, because the `auth_request` module turns a
    /// 429 into a 500.
    static func tooMany(_ wait: Duration, isNginx: Bool) -> ServerResponse {
        let status = isNginx ? HTTPStatus.forbidden : .tooManyRequests
        return sentence(status, "Too many attempts. Try again later.").retry(after: wait)
    }

    /// The 503 response for a database error.
    static let unavailable = sentence(
        .serviceUnavailable, "The server cannot authenticate the request now. Try again later."
    ).retry(after: .seconds(1))

    /// Returns a 400 response. For nginx it is 403, because the `auth_request` module turns other statuses into a 500.
    static func refusal(_ refusal: ForwardedRefusal, isNginx: Bool) -> ServerResponse {
        let status = isNginx ? HTTPStatus.forbidden : .badRequest
        return switch refusal {
        case .incomplete:
            sentence(status, "The proxy did not send the host, scheme, method and path of the original request.")
        case .contradictory:
            sentence(status, "The header fields about the original request are invalid or contradict each other.")
        case .ambiguousPath: sentence(status, "The path is ambiguous.")
        case .otherProtocol:
            sentence(status, "CONNECT, TRACE and an Upgrade to anything but 'websocket' are not allowed here.")
        }
    }

    static func sentence(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        var response = ServerResponse.text(sentence + "\n", status: status)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Returns the groups, separated by commas. Groups that do not fit are left out.
    private static func list(_ groups: [String]) -> String {
        var list = ""
        for group in groups {
            let encoded = encode(group) { isVisible($0) && $0 != UInt8(ascii: ",") }
            guard list.utf8.count + encoded.utf8.count < maximumListBytes else { break }
            if !list.isEmpty { list += "," }
            list += encoded
        }
        return list
    }

    /// The maximum length of the list in bytes. The header of a response must fit into nginx's default buffer of 4 KiB.
    private static let maximumListBytes = 2_048

    private static func encode(_ text: String, _ isAllowed: (UInt8) -> Bool) -> String {
        text.utf8.allSatisfy(isAllowed) ? text : PercentEncoding.encode(text, keeping: isAllowed)
    }

    private static func isVisible(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"%{}".utf8.contains(byte)
    }
}
