import HTTPServer
import Wire

extension OnyxRoutes {
    /// `GET /auth/type`: how people sign in here. It may be kept for a minute, but not while there is nobody yet: the
    /// first person may come at any moment.
    ///
    /// Source: OX-8; contract of Onyx, `/auth/type` fields.
    func authType() async throws -> ServerResponse {
        let hasPeople = try await people.hasAnybody()
        var answer = OnyxAnswers.message(Self.authType(people.policy, hasPeople: hasPeople))
        if hasPeople { answer.headers["Cache-Control"] = "public, max-age=60" }
        return answer
    }

    private static func authType(_ policy: PasswordPolicy, hasPeople: Bool) -> OnyxAuthType {
        var type = OnyxAuthType()
        type.multiTenant = false
        type.requiresVerification = false
        type.anonymousUserEnabled = false
        type.passwordMinLength = policy.minimumLength
        type.passwordMaxLength = policy.maximumLength
        type.passwordRequireUppercase = policy.requiresUppercase
        type.passwordRequireLowercase = policy.requiresLowercase
        type.passwordRequireDigit = policy.requiresDigit
        type.passwordRequireSpecialCharacter = policy.requiresSpecialCharacter
        type.hasUsers = hasPeople
        type.oauthEnabled = false
        type.passwordAuthEnabled = true
        type.ssoProviders = []
        return type
    }
}
