package import GatewayCore

/// A list of access rules in order. The first rule that applies to a request decides.
package struct AccessRules: Sendable, Equatable {
    /// The rules, in order.
    package var rules: [AccessRule]
    /// The people who may access an address that no rule applies to. Everybody who is signed in by default.
    package var otherwise: AccessRule.Admission

    /// Creates rules. Without any, everybody who is signed in may access every address.
    package init(_ rules: [AccessRule] = [], otherwise: AccessRule.Admission = .signedIn) {
        self.rules = rules
        self.otherwise = otherwise
    }

    /// Whether a rule names a method.
    package var nameMethods: Bool { rules.contains { !$0.methods.isEmpty } }

    /// Whether a rule names a host.
    package var nameHosts: Bool { rules.contains { !$0.hosts.isEmpty } }

    /// Whether a rule applies to a host. Rules that name no hosts at all apply to every host.
    package func protect(_ host: AccessHost, _ scheme: String) -> Bool {
        let patterns = rules.flatMap(\.hosts)
        return patterns.isEmpty || patterns.contains { $0.covers(host, scheme) }
    }

    /// Whether a rule names a host, including its port if it has one.
    package func name(_ host: AccessHost, _ scheme: String) -> Bool {
        rules.contains { $0.hosts.contains { $0.names(host, scheme) } }
    }
}
