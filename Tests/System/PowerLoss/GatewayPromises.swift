import HTTPMessages

/// What the gateway had promised to its clients at each moment, read from what went through its sockets.
struct GatewayPromises {
    /// When something was asked for and when the answer was handed to the network.
    struct Moments {
        var asked: Int
        var answered: Int?
    }

    /// When each token was given.
    private(set) var given: [String: Int] = [:]
    /// The end of tokens.
    private(set) var ended: [String: Moments] = [:]
    /// Registrations, by address.
    private(set) var registered: [String: Moments] = [:]

    private var open: [String: (number: Int, request: String)] = [:]

    init(_ events: [DiskEvent]) {
        for (number, event) in events.enumerated() {
            switch event {
            case .received(let socket, let bytes): ask(socket, String(decoding: bytes, as: UTF8.self), number)
            case .sent(let socket, let bytes): response(socket, String(decoding: bytes, as: UTF8.self), number)
            default: break
            }
        }
    }

    private mutating func ask(_ socket: String, _ text: String, _ number: Int) {
        open[socket] = (number, text)
        if text.hasPrefix("POST /api/auth/mobile/logout"), let token = Self.token(text) {
            ended[token] = Moments(asked: number)
        } else if text.hasPrefix("POST /api/auth/register"), let email = Self.email(text) {
            registered[email] = Moments(asked: number)
        }
    }

    private mutating func response(_ socket: String, _ text: String, _ number: Int) {
        guard text.hasPrefix("HTTP/1.1 "), let (_, request) = open.removeValue(forKey: socket) else { return }
        let status = text.dropFirst(9).prefix(3)
        if status == "204", let token = Self.token(request) { ended[token]?.answered = number }
        if status == "201", let email = Self.email(request) { registered[email]?.answered = number }
        guard status == "200", request.hasPrefix("POST /api/auth/mobile/login"), let body = Self.body(text),
            let token = (try? JSONValue(parsing: body))?["access_token"]?.string
        else { return }
        given[token] = number
    }

    private static func token(_ request: String) -> String? {
        request.split(separator: "\r\n").first { $0.hasPrefix("Authorization: Bearer ") }.map {
            String($0.dropFirst(22))
        }
    }

    private static func email(_ request: String) -> String? {
        body(request).flatMap { try? JSONValue(parsing: $0) }?["email"]?.string
    }

    private static func body(_ message: String) -> [UInt8]? {
        message.firstRange(of: "\r\n\r\n").map { Array(message[$0.upperBound...].utf8) }
    }
}
