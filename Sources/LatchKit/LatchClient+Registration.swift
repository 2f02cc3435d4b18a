extension LatchClient {
    /// Creates an account on a server and signs in to it, as ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)`` does.
    ///
    /// - Parameters:
    ///   - registration: The e-mail address and password of the new account.
    ///   - server: The server.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError/Code/weakPassword`` before anything is sent when the password breaks the server's rule,
    ///   ``LatchError/Code/registrationRefused``, ``LatchError/Code/registeredOnly`` when the account was created but
    ///   signing in failed, a code of the network, the secret store or the storage; `CancellationError`.
    ///
    /// Source: docs/protocols/onyx.md, Registration.
    public func register(_ registration: PasswordSignIn, at server: Server) async throws -> Account {
        guard let dialect = server.dialect as? any RegistrationDialect, server.features.signsInWithPassword else {
            throw LatchError(
                .registrationRefused,
                "Not registered: \(server.address) does not offer registration. Ask its operator for an account."
            )
        }
        if let problem = server.features.passwordRule.problem(of: registration.password) {
            throw LatchError(.weakPassword, "Not registered: \(problem) Choose another password.")
        }
        let client = try server.connection.client(userAgent: device.userAgent, home: server.address)
        try await client.closeAfter { client in
            let request = dialect.registration(email: registration.email, password: registration.password)
            let response = try await unauthenticatedConnection(to: server, client).send(request)
            try dialect.registered(by: response, at: server.address)
        }
        do {
            return try await signIn(registration, to: server)
        } catch let error as LatchError {
            throw LatchError(
                .registeredOnly,
                "The account \(registration.email) at \(server.address) was created, but the sign-in failed. "
                    + error.message, retryAfter: error.retryAfter, status: error.status,
                cause: error)
        }
    }
}
