import Database
import FoundationEssentials
import HTTPMessages
import PostgreSQL
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("A database that was replaced", .timeLimit(.minutes(20)))
struct ReplacedDatabaseTests {
    @Test("requests get 503 and /readyz tells why, while another database is behind the address")
    func replaced() async throws {
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let location = try TestDatabase.location(at: address)
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        try await GatewayFixture.with {
            $0.database = location
        } _: { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.http.send("GET", "/readyz").status == 200)

            try await server.renameDatabase(name, to: name + "_first")
            _ = try await server.createDatabase(named: name)
            try await location.open().close()
            fixture.gateway.stores.lease.expire()
            let response = try await fixture.me(token)
            #expect(response.status == 503, "\(response.text)")
            #expect(response.headers["Retry-After"] != nil)
            #expect(try await fixture.login().status == 503)
            let ready = try await fixture.http.send("GET", "/readyz")
            #expect(ready.status == 503 && ready.json?["status"]?.string == "database")
            #expect(ready.headers["Retry-After"] == "1")
            #expect(try await fixture.http.send("GET", "/readyz").status == 503)
            #expect(ready.json?["detail"]?.string?.contains("restart the gateway") == true)

            try await server.renameDatabase(name, to: name + "_second")
            try await server.renameDatabase(name + "_first", to: name)
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.http.send("GET", "/readyz").status == 200)
            #expect(try await fixture.http.send("GET", "/readyz").status == 200)
            // However many probes there are, the log has the beginning and the end.
            for message in ["The database was replaced.", "The original database is back."] {
                #expect(fixture.lines.text.components(separatedBy: message).count == 2, "\(message)")
            }
        }
    }
}
