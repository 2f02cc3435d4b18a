@testable import LatchKit

/// A home, an address that its gateway protects, and a person who signs in there. One server plays both: it is the gateway
/// where it is asked as `localhost`, and the protected address by its number. As `home.test` it is both, the gateway below
/// `/id`.
struct ForwardAuthFixture {
    let home: HomeFixture
    let onyx: OnyxScript
    let wire: ScriptedServer
    let address: ServerAddress
    /// Where people sign in.
    let gateway: ServerAddress

    init() throws {
        home = try HomeFixture()
        let onyx = OnyxScript()
        self.onyx = onyx
        wire = try ScriptedServer { Self.response($0, onyx) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
        gateway = try ServerAddress("http://localhost:\(wire.port)")
    }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response { Self.response(request, onyx) }

    private static func response(_ request: ScriptedServer.Request, _ onyx: OnyxScript) -> ScriptedServer.Response {
        let host = request.headers["Host"] ?? ""
        if request.path.hasPrefix("/id/"), host == "home.test" || host.hasPrefix("localhost:") {
            var below = request
            below.path = String(request.path.dropFirst("/id".count))
            return onyx.response(below)
        }
        if host.hasPrefix("localhost:") { return onyx.response(request) }
        let port = host.drop { $0 != ":" }
        let base = host == "home.test" ? "https://home.test" : "http://127.0.0.1" + port
        let gateway = host == "home.test" ? "https://home.test/id" : "http://localhost\(port)"
        if request.path == "/.well-known/oauth-protected-resource" {
            return .json(
                #"""
                {"resource":"\#(base)","latchd_server":"\#(gateway)/api",\#
                "bearer_methods_supported":["header"]}
                """#)
        }
        guard onyx.live.contains(request.token ?? "") else {
            let metadata = "\(base)/.well-known/oauth-protected-resource"
            let problem = request.token == nil ? "" : #"error="invalid_token", "#
            return ScriptedServer.Response(
                status: 401,
                headers: ["WWW-Authenticate": #"Bearer realm="home", \#(problem)resource_metadata="\#(metadata)""#])
        }
        return .json(#"{"who":"ada@example.org"}"#)
    }
}
