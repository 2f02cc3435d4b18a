import Crypto
import Synchronization

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import HTTPMessages
@testable import HTTPServer
@testable import LatchGateway
@testable import OpenIDConnect

extension FuzzedParser {
    // A request as text: METHOD TARGET, then Name: value lines, an empty line, and the body.
    static let routes = [
        FuzzedParser("routes") { input in
            guard let request = ServerRequest(fuzzed: input) else { return }
            let gateway = try await FuzzedGateway.shared.next()
            let response: ServerResponse
            switch gateway.router.match(request.method, path: request.path) {
            case .handler(let handler, let values, _):
                switch handler.synchronousHandler?(request, values) {
                case .response(let immediate)?: response = immediate
                case .wait(let work)?: response = await work()
                case nil:
                    guard let later = await handler.run(request, values) else { return }
                    response = later
                }
            case .allow, .methodNotAllowed, .notFound: return
            }
            let status = response.status.rawValue
            try require((200..<500).contains(status) || status == 503, "\(request.path) answers \(status).")
            let body = response.body.bytes ?? []
            if response.headers["Content-Type"] == JSON.mediaType {
                try require((try? JSONValue(parsing: body)) != nil, "\(request.path) answers JSON that is none.")
            }
            try require(
                response.headers.fields.allSatisfy { HTTPHeaders.isSafe(name: $0.name, value: $0.value) },
                "\(request.path) answers with a header that is not safe.")
        }
    ]
}

extension ServerRequest {
    fileprivate init?(fuzzed input: [UInt8]) {
        var rest = input[...]
        let words = rest.takeLine().split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        let method = HTTPMethod(rawValue: String(words[0]))
        guard let target = try? RequestTarget(String(words[1]), method: method) else { return nil }
        var headers = HTTPHeaders()
        while !rest.isEmpty {
            let field = rest.takeLine().split(separator: ":", maxSplits: 1).map(String.init)
            guard let name = field.first else { break }
            let value = String((field.dropFirst().first ?? "").drop { $0 == " " })
            guard HTTPHeaders.isSafe(name: name, value: value) else { return nil }
            headers.append(name, value)
        }
        self.init(
            id: "fuzz", method: method, path: target.path, rawQuery: target.query, headers: headers,
            body: Array(rest), peer: .unix, isTLS: false)
    }
}

/// The gateway that the requests go to, in memory; another one after some requests, so that it holds little.
private actor FuzzedGateway {
    static let shared = FuzzedGateway()

    private var gateway: Gateway?
    private var left = 0

    func next() async throws -> Gateway {
        left -= 1
        if left > 0, let gateway { return gateway }
        await gateway?.stores.close()
        var settings = GatewaySettings(databasePath: nil)
        settings.hashing = PasswordHasher.Settings(
            parameters: try Argon2idParameters(memoryKiB: 8, iterations: 1), threads: 1, queue: 8)
        settings.onyx.allowsRegistration = true
        // Nobody listens there: what the provider says is fuzzed elsewhere.
        settings.providers = [
            ProviderConfiguration(
                id: "google", title: "Google",
                settings: ProviderSettings(issuer: "http://127.0.0.1:1", clientID: "gateway"))
        ]
        settings.addressLimit.attempts = 1_000_000
        settings.accountLimit.attempts = 1_000_000
        let made = try await Gateway.open(settings, logWriter: LogWriter(sink: { _ in }))
        (gateway, left) = (made, 2_000)
        return made
    }
}
