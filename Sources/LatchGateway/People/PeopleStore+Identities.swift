import OpenIDConnect

extension PeopleStore {
    /// The person whom an identity provider has signed in: found by the e-mail address, which it must have verified.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/emailUnverified``, ``GatewayError/Code/identityRefused``,
    ///   ``GatewayError/Code/notInvited`` or ``GatewayError/Code/personDisabled``.
    func person(for identity: ProviderIdentity, at provider: ProviderConfiguration) async throws -> Person {
        guard let email = identity.email, identity.isEmailVerified else {
            throw GatewayError(.emailUnverified, "'\(provider.id)' has not verified the person's e-mail address.")
        }
        guard provider.linksByEmail else {
            throw GatewayError(.identityRefused, "'\(provider.id)' may not link people by their e-mail address.")
        }
        guard let person = try await find(email) else {
            throw GatewayError(.notInvited, "Nobody here has the e-mail address that '\(provider.id)' has verified.")
        }
        guard person.isActive else { throw GatewayError(.personDisabled, "The person is disabled.") }
        return person
    }
}
