package import GatewayCore

/// What an access rule requires in addition to the right person.
///
/// Source: RFC 9470 §3; RFC 6750 §3.1.
package struct AccessRequirement: Sendable, Equatable {
    /// How long ago the person may have authenticated. Nil for any time.
    package var maximumAge: Duration?
    /// How strong the authentication must have been. Nil for any.
    package var level: AuthenticationLevel?
    /// The scopes that the access token of a client must have.
    package var scopes: [String] = []

    /// Creates a requirement.
    package init(maximumAge: Duration? = nil, level: AuthenticationLevel? = nil, scopes: [String] = []) {
        self.maximumAge = maximumAge
        self.level = level
        self.scopes = scopes
    }

    /// Returns the requirement that demands everything that either demands.
    package func and(_ other: AccessRequirement) -> AccessRequirement {
        AccessRequirement(
            maximumAge: [maximumAge, other.maximumAge].compactMap { $0 }.min(),
            level: [level, other.level].compactMap { $0 }.max(),
            scopes: scopes + other.scopes.filter { !scopes.contains($0) })
    }

    /// Whether nothing is required.
    var isEmpty: Bool { self == AccessRequirement() }
}

extension AccessRules {
    /// The scopes that any rule requires, each once.
    package var scopes: [String] { Self.scopes(rules) }

    /// The scopes that a rule for a host requires, each once.
    package func scopes(on host: AccessHost, _ scheme: String) -> [String] {
        Self.scopes(rules.filter { $0.hosts.isEmpty || $0.hosts.contains { $0.covers(host, scheme) } })
    }

    private static func scopes(_ rules: [AccessRule]) -> [String] {
        rules.flatMap(\.requirement.scopes).reduce(into: []) { all, scope in
            if !all.contains(scope) { all.append(scope) }
        }
    }
}
