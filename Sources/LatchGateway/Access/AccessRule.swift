import FoundationEssentials
public import Wire

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
    /// Whether a request may authenticate with a person's key as the password of HTTP Basic.
    var takesKeys = false

    /// Whether the rule is about a request, when its path is read as `path`; what it does not name stands for all.
    func covers(_ request: ForwardedRequest, _ path: AccessPath) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.covers(request.host, request.scheme) })
            && (paths.isEmpty || paths.contains { $0.covers(path) })
            && (methods.isEmpty || methods.contains(request.method)
                || request.method == .head && methods.contains(.get))
    }
}

extension AccessRule {
    /// Makes a rule of what the configuration would say; nil when a host or a path cannot be read.
    public init?(
        named name: String, hosts: [String] = [], paths: [String] = [], methods: [HTTPMethod] = [],
        admission: Admission, takesKeys: Bool = false
    ) {
        let hostPatterns = hosts.compactMap(AccessHostPattern.init)
        let pathPatterns = paths.compactMap(AccessPathPattern.init)
        // A rule that says less is about more.
        guard hostPatterns.count == hosts.count, pathPatterns.count == paths.count else { return nil }
        self.init(
            name: name, hosts: hostPatterns, paths: pathPatterns, methods: methods, admission: admission,
            takesKeys: takesKeys)
    }
}

/// People named one by one, or by a group.
public struct AccessMembers: Sendable, Equatable {
    let emails: Set<EmailAddress>
    let ids: Set<UUID>
    let groups: Set<ExactText>

    /// Takes people by e-mail address or id, and groups by name.
    public init(users: [String], groups: [String] = []) {
        ids = Set(users.compactMap { UUID(uuidString: $0) })
        emails = Set(users.filter { UUID(uuidString: $0) == nil }.map { EmailAddress(normalizing: $0) })
        self.groups = Set(groups.map { ExactText($0) })
    }

    func contains(_ person: Person, in groups: [String]) -> Bool {
        ids.contains(person.id) || !emails.isEmpty && person.provedAddress.map(emails.contains) == true
            || !self.groups.isEmpty && groups.contains { self.groups.contains(ExactText($0)) }
    }
}
