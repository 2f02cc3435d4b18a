import Crypto
import HTTPMessages

/// Why a person may not sign in to a client.
package enum ClientRefusal: Error, Sendable, Equatable, CaseIterable {
    /// The client registered itself, and no administrator has decided about it yet.
    case waitsForApproval
    /// The client registered itself, and an administrator refused it.
    case approvalRefused
    /// The person is not one of those who may sign in.
    case notAdmitted
    /// The person did not authenticate as strongly as the client requires.
    case weakAuthentication

    /// The reason in the audit log.
    package var reason: StaticString {
        switch self {
        case .waitsForApproval: "waits-for-approval"
        case .approvalRefused: "approval-refused"
        case .notAdmitted: "not-admitted"
        case .weakAuthentication: "weak-authentication"
        }
    }
}

extension RegisteredClient {
    /// Returns why a person may not sign in to the client. Nil for a person who may.
    ///
    /// Every flow asks this: when a request is opened and when the person decides, when a code is exchanged, and at each
    /// refresh.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - groups: The groups of the person, from the last sign-in at each identity provider.
    ///   - level: How strong the authentication of the person was.
    /// - Returns: Why the person may not sign in.
    package func refusal(of person: Person, in groups: [String], _ level: AuthenticationLevel) -> ClientRefusal? {
        switch registration?.approval {
        case .waiting: return .waitsForApproval
        case .refused: return .approvalRefused
        case .approved, .notRequired, nil: break
        }
        guard settings.admits(person, in: groups) else { return .notAdmitted }
        guard settings.level.map({ level >= $0 }) ?? true else { return .weakAuthentication }
        return nil
    }

    /// Returns why the person of a session may not sign in to the client. Nil for a person who may.
    package func refusal(of session: Session) -> ClientRefusal? {
        refusal(of: session.person, in: session.groups, session.methods.level)
    }

    /// Whether ``refusal(of:in:_:)`` may refuse anybody.
    var mayRefuse: Bool { settings.restrictsPeople || registration.map { !$0.approval.admitsPeople } ?? false }

    /// A digest of what pages tell people about the client: its name, and whether it is unverified. It has 43 characters of
    /// base64url.
    package var shownDigest: String {
        Base64URL.encode(SHA256.digest(JSONValue.array([.string(name), .bool(isUnverified)]).encoded()).bytes)
    }

    /// A digest of what an administrator approves: the name, redirects, credentials, grants and sign-out addresses. It
    /// has 43 characters of base64url, and clients that differ in any of these have different ones.
    package var identityDigest: String {
        func texts(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
        let values: [JSONValue] = [
            .string(name), texts(redirects), .bool(allowsDevice),
            secretHash.map { .string(Base64URL.encode($0.bytes)) } ?? .null, keys.map { .string($0.text) } ?? .null,
            texts(signOut.redirects), signOut.address.map(JSONValue.string) ?? .null,
        ]
        return Base64URL.encode(SHA256.digest(JSONValue.array(values).encoded()).bytes)
    }
}
