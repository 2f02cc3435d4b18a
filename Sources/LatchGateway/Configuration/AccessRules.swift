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

    /// Returns who may make a request. If a server could read the path differently, only people who are signed in may
    /// make it.
    ///
    /// - Throws: ``ForwardedRefusal/ambiguousPath`` when the rules admit other people to the other reading of the path.
    func admission(to request: ForwardedRequest) throws(ForwardedRefusal) -> AccessRule.Admission {
        let found = admission(to: request, request.path)
        guard let cut = request.path.cut else { return found }
        guard admission(to: request, cut) == found else { throw .ambiguousPath }
        return found == .everybody ? .signedIn : found
    }

    private func admission(to request: ForwardedRequest, _ path: AccessPath) -> AccessRule.Admission {
        rules.first { $0.covers(request, path) }?.admission ?? otherwise
    }

    /// Whether a request may authenticate with a person's API key. If two servers could read the path differently, both
    /// readings must allow it.
    func takeKeys(with request: ForwardedRequest) -> Bool {
        [request.path, request.path.cut].allSatisfy { path in
            guard let path else { return true }
            return rules.first { $0.covers(request, path) }?.takesKeys == true
        }
    }

    /// Whether a rule names a method.
    var nameMethods: Bool { rules.contains { !$0.methods.isEmpty } }

    /// Whether a rule names a host.
    var nameHosts: Bool { rules.contains { !$0.hosts.isEmpty } }

    /// Whether a rule names a group.
    var nameGroups: Bool {
        rules.contains { if case .some(let members) = $0.admission { !members.groups.isEmpty } else { false } }
    }

    /// Whether a rule applies to a host. Rules that name no hosts at all apply to every host.
    func protect(_ host: AccessHost, _ scheme: String) -> Bool {
        let patterns = rules.flatMap(\.hosts)
        return patterns.isEmpty || patterns.contains { $0.covers(host, scheme) }
    }

    /// Whether a rule names a host, including its port if it has one.
    func name(_ host: AccessHost, _ scheme: String) -> Bool {
        rules.contains { $0.hosts.contains { $0.names(host, scheme) } }
    }
}
