import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

extension ImmichRoutes {
    /// Adds the routes that change a password.
    ///
    /// A session alone cannot change a password, so that a stolen token does not give lasting access to the account.
    /// The current password is required unless the person must change it. That is only the case after an administrator
    /// set the password, and the session then began with that password.
    ///
    /// Source: IM-12; docs/protocols/immich.md, Passwords; OWASP Authentication Cheat Sheet, "Change Password Feature".
    package func addPassword(to router: inout Router) {
        routing.on(.post, "/auth/change-password", to: &router) { request in
            let caller = try await access.person(
                of: request, for: "auth.changePassword", mayChangePassword: true, change: .endsAccess)
            var body = ImmichBody(request)
            return try await changePassword(&body, of: caller, request)
        }
        routing.on(.put, "/auth/change-password", to: &router) { request in
            let caller = try await access.person(
                of: request, for: "auth.changePassword", mayChangePassword: true, change: .endsAccess)
            var body = ImmichBody(request)
            guard !body.has("newPassword") else { return try await changePassword(&body, of: caller, request) }
            let password = body.text("password", atLeast: 1)
            try body.check()
            return try await user(try await chooseForcedPassword(password, of: caller))
        }
    }

    /// Changes the password, with the current one as proof. Every other session of the person ends.
    private func changePassword(
        _ body: inout ImmichBody, of caller: ImmichCaller, _ request: ServerRequest
    ) async throws -> ServerResponse {
        let (current, new) = (body.text("password"), body.text("newPassword", atLeast: 8))
        _ = body.optionalBool("invalidateSessions")
        try body.check()
        let proved = try await provePassword(current, of: caller, request)
        return try await user(try await setPassword(new, of: proved, caller, isForced: false))
    }

    /// Sets the new password of a person who must change it.
    ///
    /// - Throws: ``ImmichRefusal`` with 400 when the person need not change the password, or when the new password is
    ///   the old one; ``GatewayError/Code/recentSignInRequired``.
    func chooseForcedPassword(_ password: String, of caller: ImmichCaller) async throws -> Person {
        guard let person = try await services.people.find(id: caller.person.id), person.mustChangePassword else {
            throw ImmichRefusal(
                .badRequest,
                "The current password is required: send password and newPassword to /auth/change-password.")
        }
        try services.requireRecentSignIn(for: .chooseRequiredPassword, caller.session)
        guard try await !services.people.isPassword(Secret(password), of: person) else {
            throw ImmichRefusal(.badRequest, "The new password must differ from the current one.")
        }
        return try await setPassword(password, of: person, caller, isForced: true)
    }

    private func setPassword(
        _ password: String, of proved: Person, _ caller: ImmichCaller, isForced: Bool
    ) async throws -> Person {
        do {
            return try await services.people.choosePassword(
                Secret(password), of: proved, by: caller.session.id, isForced: isForced)
        } catch let error as GatewayError where error.code == .weakPassword {
            throw ImmichRefusal(.badRequest, error.message)
        } catch let error as GatewayError where error.code == .unknownPerson {
            throw ImmichRefusal(.unauthorized, "Invalid user token")
        }
    }
}
