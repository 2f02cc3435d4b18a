import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension RelateMailRoutes {
    /// `GET /api/profile`: returns the person. Unlike the Relate Mail server, it changes nothing.
    ///
    /// Source: docs/protocols/relate-mail.md, Profile.
    func profile(of person: Person) async throws -> ServerResponse {
        let last = try await services.apiKeys.lastSignIn(of: person.id)
        return ServerResponse.privateJSON(
            RelateMailProfile(
                id: person.id.uuidString.lowercased(), email: person.email, displayName: person.name,
                createdAt: RelateMailResponses.text(person.created), lastLoginAt: last.map(RelateMailResponses.text)))
    }

    /// `PUT /api/profile`: changes the person's name. Without a name in the request nothing changes.
    ///
    /// Source: docs/protocols/relate-mail.md, Profile.
    func changeProfile(_ request: ServerRequest, _ caller: RelateMailCaller) async throws -> ServerResponse {
        let change = try request.json(RelateMailProfileChange.self)
        guard let name = change.displayName else { return try await profile(of: caller.person) }
        return try await profile(of: services.people.rename(caller.person.id, to: name))
    }
}
