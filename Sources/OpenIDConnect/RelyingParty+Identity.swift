package import Crypto
package import FoundationEssentials
package import HTTPMessages
package import OAuth

extension RelyingParty {
    /// Returns the identity of a person who came back from the provider.
    ///
    /// Exchanges the code and verifies the ID token completely. Requests the UserInfo endpoint when the token lacks the
    /// e-mail address, or the groups if they are requested. The caller must have compared `state` with that of the
    /// browser before.
    ///
    /// - Parameters:
    ///   - callback: All parameters of the callback, from its query or from the posted form.
    ///   - redirect: The redirect address of the authorization request.
    ///   - nonce: The nonce of the authorization request.
    ///   - verifier: The PKCE verifier for the challenge of the authorization request.
    ///   - freshSince: When the sign-in began, if it required a new sign-in at the provider with `max_age`. Nil when
    ///     any sign-in there is accepted.
    /// - Returns: The identity, verified as far as possible.
    /// - Throws: ``OpenIDConnectError``, with ``OpenIDConnectError/Code/staleSignIn`` or
    ///   ``OpenIDConnectError/Code/missingSignInTime`` when a new sign-in was required and is not confirmed; or
    ///   `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.2.7, §3.1.3 and §5.3.
    package func identity(
        callback: FormFields, redirect: String, nonce: String, verifier: PKCE.Verifier, freshSince: Date? = nil
    ) async throws -> ProviderIdentity {
        try await signIn(
            callback: callback, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: freshSince
        ).identity
    }

    /// Returns the identity and the access token, for an app that calls a server with that token.
    ///
    /// Works like ``identity(callback:redirect:nonce:verifier:freshSince:)``. Without a valid ID token, it returns no
    /// access token either.
    ///
    /// - Returns: The identity and its access token.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.3.3, which requires the ID token in the response; RM-5.
    package func signIn(
        callback: FormFields, redirect: String, nonce: String, verifier: PKCE.Verifier, freshSince: Date? = nil
    ) async throws -> ProviderSignIn {
        let provider = try await metadata()
        let code = try AuthorizationCallback(callback, from: provider).code
        var signIn = try await signIn(
            code: code, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: freshSince, at: provider)
        signIn.identity.name = signIn.identity.name ?? nameFromApple(callback)
        return signIn
    }

    /// Returns the identity of a person from a code that an app received. The provider sent the code to the app itself,
    /// which passes on parts of the authorization response.
    ///
    /// Without the provider's `iss`, only this server's own record says which provider issued the code. All providers
    /// that share a redirect address must therefore be trusted equally.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - issuer: The `iss` of the authorization response, which must be the provider's. Nil when the app does not
    ///     pass it on.
    ///   - redirect: The redirect address of the authorization request.
    ///   - nonce: The nonce of the authorization request.
    ///   - verifier: The PKCE verifier for the challenge of the authorization request.
    /// - Returns: The identity, verified as far as possible.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.3 and §5.3; RFC 9700 §4.4.2.
    package func identity(
        code: Secret, issuer: String?, redirect: String, nonce: String, verifier: PKCE.Verifier
    ) async throws -> ProviderIdentity {
        let provider = try await metadata()
        let fields = FormFields([("code", code.reveal()), ("iss", issuer ?? provider.issuer)])
        let checked = try AuthorizationCallback(fields, from: provider).code
        return try await signIn(
            code: checked, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: nil, at: provider
        ).identity
    }

    /// Returns the identity of a person from the response to a code exchange that the caller sent. Verifies the ID
    /// token completely and sends no request besides those for the provider's metadata and keys.
    ///
    /// - Parameters:
    ///   - tokens: The response.
    ///   - code: The code that was exchanged.
    ///   - nonce: The nonce of the authorization request.
    /// - Returns: The identity that the ID token contains.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.3.7.
    package func identity(
        of tokens: TokenResponse, code: Secret, nonce: String
    ) async throws -> ProviderIdentity {
        let provider = try await metadata()
        let token = try await idToken(of: tokens, code: code, nonce: nonce, freshSince: nil, from: provider)
        return Self.identity(token, token.person, from: provider)
    }

    private static func identity(
        _ token: IDToken, _ person: PersonClaims, from provider: ProviderMetadata
    ) -> ProviderIdentity {
        ProviderIdentity(
            issuer: provider.issuer, subject: token.subject, email: person.email,
            isEmailVerified: person.isEmailVerified, name: person.name,
            sessionID: token.sessionID,
            authenticated: token.authenticated.map(Date.init(timeIntervalSince1970:)), groups: person.groups ?? [],
            methods: token.methods)
    }

    private func signIn(
        code: Secret, redirect: String, nonce: String, verifier: PKCE.Verifier, freshSince: Date?,
        at provider: ProviderMetadata
    ) async throws -> ProviderSignIn {
        let tokens = try await exchange(code, redirect: redirect, verifier: verifier, at: provider)
        let token = try await idToken(of: tokens, code: code, nonce: nonce, freshSince: freshSince, from: provider)
        var person = token.person
        let lacksGroups = settings.groupsClaim != nil && person.groups == nil
        if person.email == nil || lacksGroups, let endpoint = provider.userInfoEndpoint {
            let userInfo = try await userInfo(
                endpoint, accessToken: tokens.accessToken, subject: token.subject, from: provider)
            if person.email == nil {
                (person.email, person.isEmailVerified) = (userInfo.email, userInfo.isEmailVerified)
            }
            person.name = person.name ?? userInfo.name
            person.groups = person.groups ?? userInfo.groups
        }
        let identity = Self.identity(token, person, from: provider)
        return ProviderSignIn(identity: identity, accessToken: tokens.accessToken)
    }

    /// Returns the name that Apple sends with the code in a person's first callback. It is not signed, so use it only
    /// for display.
    private func nameFromApple(_ callback: FormFields) -> String? {
        guard case .apple = settings.authentication, let user = callback["user"], user.utf8.count <= 4096,
            let name = (try? JSONValue(parsing: Array(user.utf8), repairsText: false))?["name"]
        else { return nil }
        let whole = ["firstName", "lastName"].compactMap { name[$0]?.string }.joined(separator: " ")
        return PersonClaims(["name": .string(whole)]).name
    }
}
