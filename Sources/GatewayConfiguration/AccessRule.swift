package import GatewayCore
package import HTTPMessages

/// A rule about who may access certain addresses.
///
/// Source: docs/any-backend.md, Access rules.
package struct AccessRule: Sendable, Equatable {
    /// The people who may access an address.
    package enum Admission: Sendable, Equatable {
        /// Everybody, signed in or not.
        case everybody
        /// Everybody who is signed in.
        case signedIn
        /// Some of the people who are signed in.
        case some(AccessMembers)
        /// No one has access.
        case nobody
    }

    /// The name of the rule in the configuration.
    package let name: String
    package let hosts: [AccessHostPattern]
    package let paths: [AccessPathPattern]
    package let methods: [HTTPMethod]
    package let admission: Admission
    /// Whether a request may authenticate with a person's API key as the password of HTTP Basic. `false` by default.
    package var acceptsKeys = false
    /// What the rule requires in addition to the right person.
    package var requirement = AccessRequirement()
}

extension AccessRule {
    /// Whether only members of groups have access.
    var admitsOnlyGroups: Bool {
        guard case .some(let members) = admission else { return false }
        return !members.groups.isEmpty && members.emails.isEmpty && members.ids.isEmpty
    }

    /// Creates a rule from values as in the configuration. Returns nil when a host or a path is invalid.
    package init?(
        named name: String, hosts: [String] = [], paths: [String] = [], methods: [HTTPMethod] = [],
        admission: Admission, acceptsKeys: Bool = false, requirement: AccessRequirement = AccessRequirement()
    ) {
        let hostPatterns = hosts.compactMap(AccessHostPattern.init)
        let pathPatterns = paths.compactMap(AccessPathPattern.init)
        // Without the invalid pattern, the rule would apply to more requests.
        guard hostPatterns.count == hosts.count, pathPatterns.count == paths.count else { return nil }
        self.init(
            name: name, hosts: hostPatterns, paths: pathPatterns, methods: methods, admission: admission,
            acceptsKeys: acceptsKeys, requirement: requirement)
    }
}
