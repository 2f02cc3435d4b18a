import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension ImmichRoutes {
    /// Adds the routes of the signed-in person, and the one that creates the first person of a server.
    func addUsers(to router: inout Router) {
        routing.on(.get, "/users/me", to: &router) { request in
            try await user(try await access.caller(of: request, mayChangePassword: true).person)
        }
        for method in [HTTPMethod.put, .patch] {
            routing.on(method, "/users/me", to: &router) { try await change($0) }
        }
        routing.on(.post, "/auth/admin-sign-up", to: &router) { try await signUp($0) }
    }

    /// `PUT` and `PATCH /users/me`: change the name, colour or address, or set the new password of a person who must
    /// change it.
    ///
    /// Source: IM-12; docs/protocols/immich.md, The person and Passwords.
    private func change(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.person(of: request, for: "user.update", mayChangePassword: true)
        var body = ImmichBody(request)
        var change = ProfileChange(
            email: body.has("email") ? EmailAddress(normalizing: body.email("email")) : nil,
            name: body.optionalText("name"))
        let password = body.optionalText("password", atLeast: 1)
        if !body.isNull("avatarColor") { change.avatarColor = body.optionalText("avatarColor") }
        if let color = change.avatarColor, !ImmichUser.avatarColors.contains(color) {
            body.refuse("avatarColor", message: "Invalid option", code: "invalid_value")
        }
        try body.check()
        guard password != nil || !services.mustChangePassword(caller.person) else {
            throw ImmichRefusal(.forbidden, services.passwordChangeSentence)
        }
        if change.email == EmailAddress(normalizing: caller.person.email) { change.email = nil }
        guard change.email == nil || settings.allowsEmailChange else {
            throw ImmichRefusal(.badRequest, "Only an administrator can change e-mail addresses on this server.")
        }
        if change.email != nil { try services.requireRecentSignIn(for: .changeEmail, caller.session) }
        if let password { _ = try await chooseForcedPassword(password, of: caller) }
        do {
            return try await user(services.people.change(caller.person.id, to: change))
        } catch let error as GatewayError where error.code == .personExists {
            throw ImmichRefusal(.badRequest, "Email is not available")
        } catch let error as GatewayError where error.code == .unknownPerson {
            throw ImmichRefusal(.unauthorized, "Invalid user token")
        }
    }

    /// `POST /auth/admin-sign-up`: registers the first person of a server as its administrator, if the settings allow
    /// it.
    ///
    /// Source: docs/protocols/immich.md, Sign-in with a password.
    private func signUp(_ request: ServerRequest) async throws -> ServerResponse {
        var body = ImmichBody(request)
        let (email, password, name) = (body.email("email"), body.text("password", atLeast: 1), body.text("name"))
        try body.check()
        guard try await !services.people.hasPeople() else { throw Self.hasAdministrator }
        guard settings.allowsAdminSignUp else {
            throw ImmichRefusal(.badRequest, "Add the administrator with 'latchd user add --admin'.")
        }
        do {
            switch try await services.registration.registerFirst(
                email, name: name, Secret(password), from: client(of: request))
            {
            case .registered(let person): return try await user(person, status: .created)
            case .limited(let wait): throw ImmichRefusal(wait: wait)
            }
        } catch let error as GatewayError where error.code == .personExists {
            throw Self.hasAdministrator
        } catch let error as GatewayError where error.code == .weakPassword {
            throw ImmichRefusal(.badRequest, error.message)
        }
    }

    private static let hasAdministrator = ImmichRefusal(.badRequest, "The server already has an admin")

    /// Returns the response that describes a person.
    ///
    /// Source: IM-10; docs/protocols/immich.md, The person.
    func user(_ person: Person, status: HTTPStatus = .ok) async throws -> ServerResponse {
        let identities = try await services.people.identities(of: person.id)
        return ServerResponse.privateJSON(
            ImmichResponses.user(person, oauthID: identities.first?.subject ?? ""), status: status)
    }
}
