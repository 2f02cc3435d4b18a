import GatewayCore
import HTTPMessages

/// The values of one access rule while the configuration is read.
package struct AccessDraft: Sendable {
    /// The people that a rule admits, as written in the configuration.
    enum Allowance: String, CaseIterable, Sendable {
        case signedIn = "signed-in"
        case everybody = "public"
        case nobody
    }

    var hosts: [String] = []
    var paths: [String] = []
    var methods: [HTTPMethod] = []
    var allow = Allowance.signedIn
    var users: [String] = []
    var groups: [String] = []
    var acceptsKeys = false
    var requirement = AccessRequirement()

    /// Whether the rule admits only some of the signed-in people.
    var namesPeople: Bool { !users.isEmpty || !groups.isEmpty }

    /// Returns the rule with this name.
    func rule(_ name: String) -> AccessRule {
        AccessRule(
            name: name, hosts: hosts.compactMap(AccessHostPattern.init),
            paths: paths.compactMap(AccessPathPattern.init),
            methods: methods, admission: admission, acceptsKeys: acceptsKeys, requirement: requirement)
    }

    private var admission: AccessRule.Admission {
        switch allow {
        case .everybody: .everybody
        case .nobody: .nobody
        case .signedIn where namesPeople: .some(AccessMembers(users: users, groups: groups))
        case .signedIn: .signedIn
        }
    }
}

extension AccessRule.Admission {
    /// The values that the configuration allows for addresses without a rule.
    package static let otherwise: [(word: String, value: AccessRule.Admission)] = [
        ("signed-in", .signedIn), ("nobody", .nobody),
    ]
}
