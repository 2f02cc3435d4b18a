import FoundationEssentials
import HTTPServer
import Wire

/// What reverse proxies are answered.
enum ForwardAuthAnswers {
    /// Whose the request is, for the proxy to hand on: fields that are plain ASCII whatever the person is called.
    ///
    /// The id never changes, as an address may. What is no visible ASCII, and `%`, `{` and `}`, is percent-encoded
    /// UTF-8: Caddy writes its own placeholders in braces. Of a name only unreserved characters stay, and a group's comma is
    /// encoded too, as commas part the groups.
    ///
    /// `X-Auth-Email` is left out for an address that is not proved.
    static func welcome(_ visitor: ForwardAuthVisitor?) -> ServerResponse {
        guard let visitor else { return anonymous }
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
        if visitor.isKey { fields.append(HTTPHeaders.Field(name: keyField, value: "key")) }
        if let name = person.name, !name.isEmpty {
            let encoded = encode(name, PercentEncoding.isUnreserved)
            fields.append(HTTPHeaders.Field(name: "X-Auth-Name", value: encoded))
        }
        if !visitor.groups.isEmpty {
            fields.append(HTTPHeaders.Field(name: "X-Auth-Groups", value: list(visitor.groups)))
        }
        return ServerResponse(status: .ok, headers: HTTPHeaders(fields))
    }

    /// The field that tells the proxy that `Authorization` holds a key, which it must not pass on to the backend.
    static let keyField = "X-Auth-Credential"

    /// 200 about nobody, where everybody may come.
    private static let anonymous = ServerResponse.emptyOK

    /// 403 to somebody who is signed in and may not come here, or where nobody may.
    static let forbidden = sentence(.forbidden, "You are not allowed here.")

    /// 403 to a peer that is not trusted to ask.
    static let untrusted = sentence(.forbidden, "Only a trusted proxy may ask here.")

    /// 429 after too many wrong keys. For nginx 403, because its auth_request turns a 429 into a 500.
    static func tooMany(_ wait: Duration, isNginx: Bool) -> ServerResponse {
        let status = isNginx ? HTTPStatus.forbidden : .tooManyRequests
        return sentence(status, "There were too many attempts. Try again later.").retry(after: wait)
    }

    /// 503: the database does not answer.
    static let unavailable = sentence(.serviceUnavailable, "The server cannot tell now whose the request is.").retry(
        after: .seconds(1))

    /// 400, or 403 for a proxy that would make anything else of it a failure of this server.
    static func refusal(_ refusal: ForwardedRefusal, isNginx: Bool) -> ServerResponse {
        let status = isNginx ? HTTPStatus.forbidden : .badRequest
        return switch refusal {
        case .incomplete: sentence(status, "The proxy does not tell what is asked for.")
        case .contradictory: sentence(status, "The request says different things about itself.")
        case .ambiguousPath: sentence(status, "The path could be read in two ways.")
        }
    }

    static func sentence(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        var answer = ServerResponse.text(sentence + "\n", status: status)
        answer.headers["Cache-Control"] = "no-store"
        return answer
    }

    /// The groups with commas between, as many whole ones as fit.
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

    /// What the usual buffer of nginx for an answer's head, 4 KiB, has room for.
    private static let maximumListBytes = 2_048

    private static func encode(_ text: String, _ isKept: (UInt8) -> Bool) -> String {
        text.utf8.allSatisfy(isKept) ? text : PercentEncoding.encode(text, keeping: isKept)
    }

    private static func isVisible(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"%{}".utf8.contains(byte)
    }
}
