import Foundation
import HTTPMessages

/// Requests with a secret where none belongs, as a broken or a hostile client sends them.
enum OddRequests {
    static func all(token: String, email: String, password: String) -> [String] {
        let form = FormURLEncoded.encode([("username", email), ("password", password)])
        let basic = Data("\(email):\(password)".utf8).base64EncodedString()
        let escaped = FormURLEncoded.encode([("a", password)]).dropFirst(2)
        let hidden = token.utf8.map { String(format: "%%%02x", Int($0)) }.joined()
        let targets = [
            "/api/me?access_token=\(token)", "/\(token)", "/api/me/\(token)", "/api/\(token)/me", "/\(hidden)",
            "/api/auth/mobile/login?\(form)", "/\(escaped)", "http://\(token):x@host/api/me", "/api/me#\(token)",
            "*\(token)",
            "/api/me?\(token)=1", "/%zz\(token)", "/..%2f\(token)", token,
        ]
        let fields = [
            "Authorization: \(token)", "Authorization: Basic \(basic)", "Authorization: Bearer \(token) \(token)",
            "Authorization: Bearer  \(token)", "Cookie: fastapiusersauth=\(token); password=\(escaped)",
            "X-Api-Key: \(token)",
            "\(token): x", "\(token)", " \(token)", "Referer: http://host/?token=\(token)", "Host: \(token)",
            "X-Request-Id: \(token)", "Expect: \(token)", "Content-Length: \(token)", "Transfer-Encoding: \(token)",
            "X-Forwarded-For: \(token)", "Content-Type: \(token)", "Connection: \(token)", "Range: \(token)",
            "Authorization: Bearer \(token)\0", "Accept: \(String(repeating: token, count: 2_000))",
        ]
        let bodies: [(String, String)] = [
            ("application/json", "{\"username\":\"\(email)\",\"password\":\"\(token)\"}"), ("text/plain", password),
            (FormURLEncoded.mediaType, "username=\(escaped)&password=\(escaped)"),
            (FormURLEncoded.mediaType, "username=\(email)&password=\(escaped)%zz"), (FormURLEncoded.mediaType, token),
            (FormURLEncoded.mediaType, "\(token)=\(token)&username=\(token)"),
            ("multipart/form-data; boundary=\(token)", "--\(token)\r\n\r\n\(token)\r\n--\(token)--"),
        ]
        var all: [String] = []
        for target in targets { all += [line("GET", target), line("POST", target)] }
        for field in fields { all += [line("GET", "/api/me", field), line("GET", "/nowhere", field)] }
        for (type, body) in bodies {
            for path in ["mobile/login", "mobile/refresh", "mobile/logout", "register", "nowhere"] {
                all.append(post("/api/auth/\(path)", body, type: type))
            }
        }
        let bearer = "Authorization: Bearer \(token)"
        all += [line(token, "/api/me"), line("TRACE", "/api/me", bearer), line("OPTIONS", "/api/me", bearer)]
        all += ["\(token)\r\n\r\n", "\(token) \(token) \(token)\r\n\r\n", "GET /api/me HTTP/\(token)\r\n\r\n"]
        all += ["GET /api/me HTTP/1.1\r\nHost: localhost\r\n\(bearer)", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\(token)"]
        return all
    }

    static func line(_ method: String, _ target: String, _ field: String = "X-Nothing: 1") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(field)\r\n\r\n"
    }

    static func post(_ path: String, _ body: String, type: String = FormURLEncoded.mediaType, token: String? = nil)
        -> String
    {
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(type)\r\n\(bearer)Content-Length: \(body.utf8.count)\r\n"
            + "\r\n\(body)"
    }

    static func signIn(_ email: String, _ password: String) -> String {
        post("/api/auth/mobile/login", FormURLEncoded.encode([("username", email), ("password", password)]))
    }
}
