/// One thing that a provider may do, and whether anybody may be signed in after it.
///
/// The names that begin with `oidcc-` and `fapi2-` are those of the OpenID Foundation's tests for relying parties, each
/// with what that test does; the others are this house's own.
package struct ProviderCase: Sendable, CustomStringConvertible {
    /// Where a bad answer must be found.
    package enum Outcome: Sendable, Equatable {
        /// The person is signed in.
        case signedIn
        /// Before the person is sent to the provider.
        case refusedBeforehand
        /// When the browser comes back, before the code is exchanged.
        case refusedAtCallback
        /// When the code is exchanged, before UserInfo is asked.
        case refusedAtExchange
        /// When UserInfo has answered.
        case refusedAtUserInfo
    }

    /// The case's name.
    package let name: String
    /// What must come of it.
    package let outcome: Outcome
    /// What the provider does.
    package let script: ProviderScript
    /// Whether it concerns who compares `state`, which a relying party leaves to its caller.
    package let concernsState: Bool

    /// Whether the browser brings the answer in a form.
    package var isPosted: Bool { name.contains("form-post") }

    /// The name.
    package var description: String { name }

    init(
        _ name: String, _ outcome: Outcome, concernsState: Bool = false,
        _ change: (inout ProviderScript) -> Void = { _ in }
    ) {
        self.name = name
        self.outcome = outcome
        self.concernsState = concernsState
        script = ProviderScript(change)
    }

    /// Every case.
    ///
    /// Of the Foundation's tests those are left out that need what this relying party does not do: WebFinger, dynamic
    /// registration, request objects, tokens in a request's body, hybrid answers, refresh tokens and DPoP towards the
    /// provider, client certificates, and logout. What `mtls-endpoint-aliases` and the `c_hash` cases ask of others is asked
    /// here as far as it applies: the aliases are not used, and a `c_hash` that is there must be right.
    package static let all = basic + configuration + comprehensive + fapi + own
}
