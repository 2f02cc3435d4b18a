import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Several dialects in one gateway.
@Suite(.timeLimit(.minutes(20)))
struct DialectTests {
    private struct TextDialect: GatewayDialect {
        let name: String
        let prefix: String
        let paths: [String]

        func add(to router: inout Router) {
            for path in paths { router.on(.get, prefix + path) { _ in .text(name) } }
        }

        func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
            .text(name, status: status)
        }
    }

    @Test("Two dialects with the same route are refused with the remedy")
    func conflict() {
        let error = #expect(throws: GatewayError.self) {
            try DialectRouter.router(
                [
                    TextDialect(name: "dialects.one", prefix: "/api", paths: ["/me"]),
                    TextDialect(name: "dialects.two", prefix: "", paths: ["/api/me"]),
                ], check: nil
            ) { _ in }
        }
        #expect(error?.code == .routes)
        #expect(
            error?.message == "Both 'dialects.two' and 'dialects.one' answer GET /api/me: give 'dialects.two' another "
                + "prefix, such as dialects.two.prefix: /two.")
    }

    @Test("A dialect may not use the gateway's own routes")
    func ownRoutes() {
        let error = #expect(throws: GatewayError.self) {
            try DialectRouter.router([TextDialect(name: "dialects.one", prefix: "", paths: ["/healthz"])], check: nil) {
                router in
                router.on(.get, "/healthz") { _ in .text("alive") }
            }
        }
        #expect(error?.message.contains("the gateway itself answer GET /healthz") == true)
    }

    @Test("Dialects with the same prefix and different routes work together")
    func sharedPrefix() throws {
        let router = try DialectRouter.router(
            [
                TextDialect(name: "dialects.one", prefix: "/api", paths: ["/me"]),
                TextDialect(name: "dialects.two", prefix: "/api", paths: ["/you"]),
            ], check: nil
        ) { _ in }
        #expect(router.routes.map(\.pattern) == ["/api/me", "/api/you"])
    }
}
