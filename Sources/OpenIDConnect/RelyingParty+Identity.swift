public import Crypto
public import FoundationEssentials
public import OAuth
public import Wire

extension RelyingParty {
    /// Who the person is that came back from the provider.
    ///
    /// The code is exchanged and the ID token checked whole; the UserInfo endpoint is asked when the token tells no e-mail
    /// address, or no groups where those are asked for. The caller has compared `state` with its browser's before.
    ///
    /// - Parameters:
    ///   - callback: All of the callback's parameters, from its query or from the form that was posted.
    ///   - redirect: The redirect address that was asked for.
    ///   - nonce: The nonce that was asked with.
    ///   - verifier: The verifier whose challenge was asked with.
    ///   - freshSince: When the sign-in began, if the person was to sign in at the provider anew, with `max_age`; nil where any
    ///     sign-in there will do.
    /// - Returns: The identity, of which everything was checked that can be.
    /// - Throws: ``OpenIDConnectError``, with ``OpenIDConnectError/Code/oldSignIn`` or ``OpenIDConnectError/Code/untoldSignIn``
    ///   when the person did not sign in anew for all that is known; or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.2.7, §3.1.3 and §5.3.
    public func identity(
        callback: FormFields, redirect: String, nonce: String, verifier: PKCE.Verifier, freshSince: Date? = nil
    ) async throws -> ProviderIdentity {
        try await signIn(
            callback: callback, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: freshSince
        ).identity
    }

    /// As ``identity(callback:redirect:nonce:verifier:freshSince:)``, for an app that calls a server with the access token:
    /// without a whole and good ID token there is no access token either.
    ///
    /// - Returns: The identity, and the access token that came with it.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.3.3, where an answer without ID token is none; RM-5.
    public func signIn(
        callback: FormFields, redirect: String, nonce: String, verifier: PKCE.Verifier, freshSince: Date? = nil
    ) async throws -> ProviderSignIn {
        let provider = try await metadata()
        let code = try CallbackAnswer(callback, from: provider).code
        var signIn = try await signIn(
            code: code, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: freshSince, at: provider)
        signIn.identity.name = signIn.identity.name ?? nameFromApple(callback)
        return signIn
    }

    /// Who the person is whose code an app brought: the provider sent it to the app itself, which hands on what it reads of
    /// the answer.
    ///
    /// Without the provider's own `iss` beside it only this server's memory tells whose code it is, so every provider that
    /// answers to one address must be trusted as the others are.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - issuer: The answer's `iss`, where the app hands it on; it must be the provider's.
    ///   - redirect: The redirect address that was asked for.
    ///   - nonce: The nonce that was asked with.
    ///   - verifier: The verifier whose challenge was asked with.
    /// - Returns: The identity, of which everything was checked that can be.
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    ///
    /// Source: OpenID Connect Core §3.1.3 and §5.3; RFC 9700 §4.4.2.
    public func identity(
        code: Secret, issuer: String?, redirect: String, nonce: String, verifier: PKCE.Verifier
    ) async throws -> ProviderIdentity {
        let provider = try await metadata()
        let fields = FormFields([("code", code.reveal()), ("iss", issuer ?? provider.issuer)])
        let checked = try CallbackAnswer(fields, from: provider).code
        return try await signIn(
            code: checked, redirect: redirect, nonce: nonce, verifier: verifier, freshSince: nil, at: provider
        ).identity
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
            let told = try await userInfo(
                endpoint, accessToken: tokens.accessToken, subject: token.subject, from: provider)
            if person.email == nil { (person.email, person.isEmailVerified) = (told.email, told.isEmailVerified) }
            person.name = person.name ?? told.name
            person.groups = person.groups ?? told.groups
        }
        let identity = ProviderIdentity(
            issuer: provider.issuer, subject: token.subject, email: person.email,
            isEmailVerified: person.isEmailVerified, name: person.name,
            sessionID: token.sessionID,
            authenticated: token.authenticated.map(Date.init(timeIntervalSince1970:)), groups: person.groups ?? [])
        return ProviderSignIn(identity: identity, accessToken: tokens.accessToken)
    }

    /// The name that Apple hands to the browser once, beside the code. It is not signed: good to be shown, for nothing else.
    private func nameFromApple(_ callback: FormFields) -> String? {
        guard case .apple = settings.authentication, let user = callback["user"], user.utf8.count <= 4096,
            let name = (try? JSONValue(parsing: Array(user.utf8)))?["name"]
        else { return nil }
        let whole = ["firstName", "lastName"].compactMap { name[$0]?.string }.joined(separator: " ")
        return PersonClaims(["name": .string(whole)]).name
    }
}
