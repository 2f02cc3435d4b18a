import Foundation
import LatchSandbox
import TestSupport
import Testing

/// The OpenAPI descriptions in docs/protocols, compared with what the gateway sends.
@Suite("Protocol descriptions", .blocking, .inTurn, .timeLimit(.minutes(6)))
struct ProtocolDescriptionTests {
    struct Family: CustomTestStringConvertible, Sendable {
        /// The name of the family in the sandbox.
        let name: String
        /// The name of the description.
        let file: String
        /// The default prefix of the gateway.
        let prefix: String
        /// The path of the signed-in person.
        let person: String
        /// The paths that are not requested: sign-outs, because they would end the session of all other requests, and
        /// paths outside the prefix.
        let excluded: String

        var testDescription: String { name }
    }

    private static let families = [
        Family(
            name: "immich", file: "immich", prefix: "/api", person: "/users/me",
            excluded: "/auth/logout$|^/[.]well-known"),
        Family(name: "onyx", file: "onyx", prefix: "/api", person: "/me", excluded: "/auth/mobile/logout$"),
        Family(name: "timetracker", file: "time-tracker", prefix: "", person: "/auth/me", excluded: "/auth/logout$"),
        Family(name: "relate-mail", file: "relate-mail", prefix: "", person: "/api/profile", excluded: "/none$"),
    ]

    @Test(
        "IM-3 to IM-12, IM-15, OX-1 to OX-8, TT-3 to TT-12, RM-4 to RM-8: every response has a status, a media type and a body that the description declares",
        arguments: families)
    func described(_ family: Family) async throws {
        let sandbox = try await Sandbox.open()
        let url = try #require(sandbox.url(of: family.name))
        let ada = try #require(sandbox.people.first)
        let token = try await Program.run(
            try Schemathesis.tool("python"),
            [
                Products.packageFolder + "/Tests/Programs/ImmichClients/sandbox_token.py", family.name, url, ada.email,
                ada.password,
            ], environment: Schemathesis.environment)
        #expect(token.status == 0, "\(token.errors)")
        let bearer = token.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let result = try await Schemathesis.run(
            url + family.prefix,
            describedIn: Products.packageFolder + "/docs/protocols/\(family.file).openapi.yaml", token: bearer,
            // schemathesis sends the ids that it received. It would end its own session and then see refusals only.
            ["--exclude-operation-id", "endSession", "--exclude-path-regex", family.excluded], examples: 5)
        // If the token had ended during the run, the rest of the responses would only be refusals.
        let person = try await Program.run(
            "curl",
            [
                "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
                "Authorization: Bearer \(bearer)", url + family.prefix + family.person,
            ])
        await sandbox.close()

        #expect(person.output == "200")
        #expect(result.status == 0, "\(result.output.suffix(6_000))")
    }
}
