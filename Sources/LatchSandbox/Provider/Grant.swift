import FoundationEssentials
import JOSE
import OAuth

/// An authorization by a person, with the choices for testing.
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

/// The choices on the sign-in page for testing.
struct TestChoices: Sendable, Equatable {
    /// The fault to simulate. Nil for none.
    var fault: Fault?
    /// The signature algorithm of the ID token.
    var algorithm: SignatureAlgorithm
    /// Whether the ID token contains the name and e-mail address in addition to UserInfo.
    var hasClaimsInToken = true
}

/// A browser session of a person.
struct ProviderSession: Sendable {
    /// The `sid` claim.
    let id: String
    let person: ProviderPerson
    /// The time at which the person entered the password.
    let authenticated: Date
    /// The clients that the person has consented to in this browser, with their scopes.
    var consents: [String: Set<String>] = [:]
}
