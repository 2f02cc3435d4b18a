import GatewayCore

extension GatewaySettings {
    /// Warnings about settings that are valid but may not do what the operator wants, one sentence each.
    package var warnings: [String] {
        addressWarnings + signInWarnings + ruleWarnings + clientWarnings
            + enabledDialects.flatMap { $0.warnings(in: self) }
    }

    private var signInWarnings: [String] {
        var all: [String] = []
        if enabledDialects.isEmpty, !pages.isEnabled {
            all.append(
                "No dialect and no pages are enabled, so no one can sign in. Set the key 'enabled' of a dialect or of "
                    + "pages to true.")
        }
        if !providers.isEmpty, publicURL == nil {
            all.append(
                "providers are configured without public_url, so the redirect address to register with them is "
                    + "unknown. Set public_url.")
        }
        return all
    }

    /// Warnings about redirects of clients that lead to this server itself.
    private var clientWarnings: [String] {
        guard authorizationServer.isEnabled else { return [] }
        return authorizationServer.clients.compactMap { client in
            (client.redirects + client.signOut.redirects).first { ownHost(ofRedirect: $0) == .server }.map {
                "oauth.clients.\(client.id) has the redirect '\($0)', " + Self.ownRedirectWarning
            }
        }
    }

    /// The end of a sentence about a redirect on the host of this server.
    package static let ownRedirectWarning =
        "which is on the host of this server, so sign-ins end there only if a proxy passes this path on to the client. "
        + "Use another host if you can."

    /// Warnings about requirements of access rules and clients that nobody meets, or that apply to nobody.
    private var ruleWarnings: [String] {
        let ofRules = verify.rules.rules.flatMap { rule in
            let (key, requirement) = ("access.\(rule.name)", rule.requirement)
            return [
                !requirement.scopes.isEmpty && !authorizationServer.isEnabled
                    ? "\(key).scopes has no effect, because only the access tokens of oauth have scopes. Set "
                        + "oauth.enabled to true, or remove the key." : nil
            ].compactMap(\.self) + unmetWarnings(key, requirement.level, onlyGroups: rule.admitsOnlyGroups)
        }
        let ofClients = authorizationServer.clients.flatMap { client in
            unmetWarnings(
                "oauth.clients.\(client.id)", client.settings.level,
                onlyGroups: !client.settings.groups.isEmpty && client.settings.users.isEmpty)
        }
        return ofRules + ofClients
    }

    /// Warnings about a rule, or a client, that nobody may use because there is no identity provider.
    private func unmetWarnings(_ key: String, _ level: AuthenticationLevel?, onlyGroups: Bool) -> [String] {
        guard providers.isEmpty else { return [] }
        return [
            level == .multiFactor
                ? "\(key).acr lets nobody in, because only an identity provider reports several factors. Configure one "
                    + "in providers, or remove the key." : nil,
            onlyGroups
                ? "\(key).groups lets nobody in, because only an identity provider says in which groups people are. "
                    + "Configure one in providers, or name people in users." : nil,
        ].compactMap(\.self)
    }

    /// Warnings about settings that allow unverified addresses while backends receive people's identities.
    private var addressWarnings: [String] {
        guard verify.isEnabled else { return [] }
        return enabledDialects.flatMap(\.unverifiedAddressKeys).map { key in
            "\(key) and verify.enabled are true, so people may use an address that is not verified. A backend gets no "
                + "X-Auth-Email for them; let it identify people by X-Auth-User (docs/any-backend.md)."
        }
    }
}
