import Foundation
import HTTPClient
import HTTPMessages
import LatchSandbox
import TestSupport
import Testing

/// The Immich dialect of the built programs, asked by programs that others wrote for Immich.
@Suite("Immich clients", .blocking, .inTurn, .timeLimit(.minutes(4)))
struct ImmichClientTests {
    private static let programs = Products.packageFolder + "/Tests/Programs/ImmichClients/"

    @Test("IM-9 DL-3 aioimmich signs in, lists everything and downloads identical bytes")
    func aioimmich() async throws {
        let sandbox = try await Sandbox.open()
        let url = try #require(sandbox.url(of: "immich"))
        let person = try #require(sandbox.people.first)
        let result = try await Program.run(
            try Schemathesis.tool("python"),
            [Self.programs + "immich_client.py", url, person.email, person.password, sandbox.folder + "/pictures"],
            environment: Schemathesis.environment)
        await sandbox.close()

        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("compared 8 assets in 2 albums"))
    }

    @Test("IM-9, IM-10 a client generated from the API description of 3.3 decodes every response")
    func generated() async throws {
        let sandbox = try await Sandbox.open()
        let url = try #require(sandbox.url(of: "immich"))
        for person in sandbox.people.prefix(2) {
            let result = try await Program.run(
                try Schemathesis.tool("python"),
                [Self.programs + "generated_client.py", url, person.email, person.password],
                environment: Schemathesis.environment)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("read "))
        }
        await sandbox.close()
    }

    @Test(
        "IM-3g, IM-4, IM-5, IM-7, IM-10 to IM-12, IM-15 schemathesis finds no undescribed response and no server error",
        .enabled(
            if: Self.publishedDescription != nil,
            "The description of Immich's API is not there: name it in LATCHSTRING_IMMICH_API."))
    func description() async throws {
        let description = try #require(Self.publishedDescription)
        let folder = try TemporaryDirectory()
        let completed = folder.file("description.json")
        let sandbox = try await Sandbox.open()
        let url = try #require(sandbox.url(of: "immich"))
        let client = ImmichCaller(url: url, token: try await ImmichCaller.token(sandbox.people[0], url))
        let ids = try await [client.firstAsset(), client.person()]
        let made = try await Program.run(
            try Schemathesis.tool("python"), [Self.programs + "described_errors.py", description, completed] + ids,
            environment: Schemathesis.environment)
        #expect(made.status == 0, "\(made.errors)")
        // Signing out would end the session of all requests.
        let result = try await Schemathesis.run(
            url + "/api", describedIn: completed, token: client.token, ["--exclude-path-regex", "/auth/logout$"],
            examples: 10)
        let isStillSignedIn = try await client.person() == ids[1]
        await sandbox.close()

        #expect(result.status == 0, "\(result.output.suffix(6_000))")
        #expect(isStillSignedIn, "It was signed out on the way, so the rest was refused without being looked at.")
    }

    /// Where the description is, in the environment or beside the package.
    private static var publishedDescription: String? {
        let named = ProcessInfo.processInfo.environment["LATCHSTRING_IMMICH_API"]
        let path = named ?? Products.packageFolder + "/../shared/contracts/immich-openapi-subset.json"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}

/// A session at the Immich dialect.
private struct ImmichCaller {
    let url: String
    let token: String

    static func token(_ person: SandboxPerson, _ url: String) async throws -> String {
        let body: JSONValue = ["email": .string(person.email), "password": .string(person.password)]
        let json = try await send(.post, url + "/api/auth/login", body)
        return try #require(json["accessToken"]?.string)
    }

    func firstAsset() async throws -> String {
        let json = try await Self.send(.post, url + "/api/search/metadata", ["size": 1], token)
        return try #require(json["assets"]?["items"]?.array?.first?["id"]?.string)
    }

    func person() async throws -> String {
        try #require(try await Self.send(.get, url + "/api/users/me", nil, token)["id"]?.string)
    }

    private static func send(
        _ method: HTTPMethod, _ url: String, _ body: JSONValue?, _ token: String? = nil
    ) async throws -> JSONValue {
        let http = try HTTPClient()
        var headers: HTTPHeaders = body == nil ? [:] : ["Content-Type": JSON.mediaType]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        let response = try await http.send(
            ClientRequest(method: method, url: url, headers: headers, body: body?.encoded() ?? []))
        await http.close()
        return try JSONValue(parsing: response.body)
    }
}
