/// A behaviour of a provider and its expected outcome.
///
/// Names that begin with `oidcc-` and `fapi2-` are those of the OpenID Foundation's tests for relying parties, and the
/// cases do what these tests do. The others are this project's own.
package struct ProviderCase: Sendable, CustomStringConvertible {
    /// The expected outcome, or the step at which the sign-in must be refused.
    package enum Outcome: Sendable, Equatable {
        /// The person is signed in.
        case signedIn
        /// Refused before the browser is redirected to the provider.
        case refusedBeforehand
        /// Refused at the callback, before the code is exchanged.
        case refusedAtCallback
        /// Refused at the code exchange, before UserInfo is requested.
        case refusedAtExchange
        /// Refused after the UserInfo response.
        case refusedAtUserInfo
    }

    /// The name of the case.
    package let name: String
    /// The expected outcome.
    package let outcome: Outcome
    /// The behaviour of the provider.
    package let script: ProviderScript
    /// Whether the case concerns the check of `state`, which the relying party leaves to its caller.
    package let concernsState: Bool

    /// Whether the browser posts the authorization response as a form.
    package var isPosted: Bool { name.contains("form-post") }

    /// The same as ``name``.
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

    /// All cases.
    ///
    /// Some of the Foundation's tests are omitted, because they require features that this relying party does not have:
    /// WebFinger, dynamic registration, request objects, tokens in the request body, hybrid responses, refresh tokens
    /// and DPoP with the provider, client certificates, and logout. `mtls-endpoint-aliases` and the `c_hash` cases are
    /// included as far as they apply: the aliases are not used, and a `c_hash` must be correct if it is present.
    package static let all = basic + configuration + comprehensive + fapi + own
}
