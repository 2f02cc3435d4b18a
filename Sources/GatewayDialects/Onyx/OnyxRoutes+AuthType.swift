import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import ServerMessages
import SignInBridge

extension OnyxRoutes {
    /// `GET /auth/type`: returns how people sign in here. Caches may store the response for a minute, but not before
    /// the first person exists, because that can change at any time.
    ///
    /// Source: OX-8; docs/protocols/onyx.md, Sign-in options.
    package func authType() async throws -> ServerResponse {
        let hasPeople = try await people.hasPeople()
        var response = ServerResponse.privateJSON(authType(people.policy, hasPeople: hasPeople))
        if hasPeople { response.headers["Cache-Control"] = "public, max-age=60" }
        return response
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
        // Apps begin such a sign-in without a provider's name, so it must work without one.
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
                authorizeURL: services.address.link(
                    services.settings.bridge.prefix + BridgeRoutes.authorizePath(of: provider)))
        }
    }
}
