import FoundationEssentials
import Wire

/// Who may come to some addresses.
///
/// Source: ARCHITECTURE.md, `Access/`.
public struct AccessRule: Sendable, Equatable {
    /// Who may come in.
    public enum Admission: Sendable, Equatable {
        /// Everybody, signed in or not.
        case everybody
        /// Whoever is signed in.
        case signedIn
        /// Some of those who are signed in.
        case some(AccessMembers)
        /// Nobody.
        case nobody
    }

    /// The name that the configuration gives it.
    public let name: String
    let hosts: [AccessHostPattern]
    let paths: [AccessPathPattern]
    let methods: [HTTPMethod]
    let admission: Admission

    /// Whether the rule is about a request, when its path is read as `path`; what it does not name stands for all.
    func covers(_ request: ForwardedRequest, _ path: AccessPath) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.covers(request.host, request.scheme) })
            && (paths.isEmpty || paths.contains { $0.covers(path) })
            && (methods.isEmpty || methods.contains(request.method)
                || request.method == .head && methods.contains(.get))
    }
}

/// People named one by one, or by a group.
public struct AccessMembers: Sendable, Equatable {
    /// E-mail addresses, as they are compared.
    let emails: Set<String>
    let ids: Set<UUID>
    let groups: Set<String>

    /// Takes people by e-mail address or id, and groups by name.
    init(users: [String], groups: [String]) {
        ids = Set(users.compactMap { UUID(uuidString: $0) })
        emails = Set(users.filter { UUID(uuidString: $0) == nil }.map { EmailAddress(normalizing: $0).text })
        self.groups = Set(groups)
    }

    func contains(_ session: Session) -> Bool {
        session.person.ownsAddress && emails.contains(session.person.email) || ids.contains(session.person.id)
            || !groups.isEmpty && session.groups.contains(where: groups.contains)
    }
}
