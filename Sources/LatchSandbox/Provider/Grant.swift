import FoundationEssentials
import JOSE
import OAuth

/// What a person agreed to, and how the provider shall behave with it.
struct Grant: Sendable {
    let person: ProviderPerson
    let clientID: String
    let redirect: String
    let scopes: [String]
    let nonce: String?
    let challenge: PKCE.Challenge?
    let choices: TestChoices
    let session: ProviderSession
}

/// What the sign-in page lets a tester choose beside the person.
struct TestChoices: Sendable, Equatable {
    /// What to do wrong; nil for nothing.
    var fault: Fault?
    /// How to sign the ID token.
    var algorithm: SignatureAlgorithm
    /// Whether name and e-mail stand in the ID token, and not only in UserInfo's answer.
    var hasClaimsInToken = true
}

/// A browser that somebody is signed in with.
struct ProviderSession: Sendable {
    /// The `sid` claim.
    let id: String
    let person: ProviderPerson
    /// When the password was given.
    let authenticated: Date
    /// The clients that the person agreed to in this browser, with the scopes.
    var consents: [String: Set<String>] = [:]
}
