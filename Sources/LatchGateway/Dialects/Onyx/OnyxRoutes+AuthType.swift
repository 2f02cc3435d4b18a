import HTTPServer
import Wire

extension OnyxRoutes {
    /// `GET /auth/type`: how people sign in here. It may be kept for a minute, but not while there is nobody yet: the
    /// first person may come at any moment.
    ///
    /// Source: OX-8; contract of Onyx, `/auth/type` fields.
    func authType() async throws -> ServerResponse {
        let hasPeople = try await people.hasAnybody()
        var answer = ServerResponse.privateJSON(authType(people.policy, hasPeople: hasPeople))
        if hasPeople { answer.headers["Cache-Control"] = "public, max-age=60" }
        return answer
    }

    private func authType(_ policy: PasswordPolicy, hasPeople: Bool) -> OnyxAuthType {
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
        // What an app does without naming a provider must work.
        type.oauthEnabled = bridge?.providers.unnamed != nil
        type.passwordAuthEnabled = allowsPasswords
        type.ssoProviders = bridge.map(providers) ?? []
        return type
    }

    private func providers(of bridge: Bridge) -> [OnyxAuthType.SSOProvider] {
        bridge.providers.all.map { provider in
            OnyxAuthType.SSOProvider(
                name: provider.id, displayName: provider.configuration.title,
                providerType: provider.configuration.kind.rawValue,
                authorizeURL: bridge.address.link(
                    services.settings.bridgePrefix + BridgeRoutes.authorizePath(of: provider)))
        }
    }
}
