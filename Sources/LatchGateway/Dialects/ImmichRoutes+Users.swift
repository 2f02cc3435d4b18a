import Crypto
import FoundationEssentials
import HTTPServer
import Wire

extension ImmichRoutes {
    /// Adds the routes of the person who is signed in.
    func addUsers(to router: inout Router) {
        routing.on(.get, "/users/me", to: &router) { request in
            try await user(try await access.caller(of: request).person)
        }
    }

    /// The answer that describes a person.
    ///
    /// Source: IM-10; contract of Immich, shapes.
    func user(_ person: Person, status: HTTPStatus = .ok) async throws -> ServerResponse {
        let identities = try await services.people.identities(of: person.id)
        return ImmichAnswers.message(Self.user(person, oauthID: identities.first?.subject ?? ""), status: status)
    }

    /// A person as clients of Immich read one.
    static func user(_ person: Person, oauthID: String) -> ImmichUser {
        let created = Timestamp.text(person.created, fraction: true)
        var user = ImmichUser(
            id: person.id.uuidString.lowercased(), email: person.email, name: person.name ?? "", createdAt: created)
        user.avatarColor = person.avatarColor ?? standardColor(of: person)
        user.shouldChangePassword = person.mustChangePassword
        user.isAdmin = person.isAdministrator
        user.oauthId = oauthID
        return user
    }

    /// The colour of somebody who chose none, always the same one.
    private static func standardColor(of person: Person) -> String {
        let colors = ImmichUser.avatarColors
        return colors[Int(SHA256.digest(person.id.uuidString).leadingWord % UInt64(colors.count))]
    }
}
