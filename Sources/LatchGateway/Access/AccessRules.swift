/// The rules in their order; the first that is about a request decides.
public struct AccessRules: Sendable, Equatable {
    /// The rules, in order.
    public var rules: [AccessRule]
    /// Who may come where no rule says it.
    public var otherwise: AccessRule.Admission

    /// Makes rules; with none, whoever is signed in may come anywhere.
    public init(_ rules: [AccessRule] = [], otherwise: AccessRule.Admission = .signedIn) {
        self.rules = rules
        self.otherwise = otherwise
    }

    /// Who may make a request. A path that a server might take for another is open to nobody who is not signed in.
    ///
    /// - Throws: ``ForwardedRefusal/ambiguousPath`` when others may come to that other path.
    func admission(to request: ForwardedRequest) throws(ForwardedRefusal) -> AccessRule.Admission {
        let found = admission(to: request, request.path)
        guard let cut = request.path.cut else { return found }
        guard admission(to: request, cut) == found else { throw .ambiguousPath }
        return found == .everybody ? .signedIn : found
    }

    private func admission(to request: ForwardedRequest, _ path: AccessPath) -> AccessRule.Admission {
        rules.first { $0.covers(request, path) }?.admission ?? otherwise
    }

    /// Whether a person's key opens the address of a request. If two servers could read the path differently, both readings
    /// must allow it.
    func takeKeys(with request: ForwardedRequest) -> Bool {
        [request.path, request.path.cut].allSatisfy { path in
            guard let path else { return true }
            return rules.first { $0.covers(request, path) }?.takesKeys == true
        }
    }

    /// Whether a rule asks for the method.
    var nameMethods: Bool { rules.contains { !$0.methods.isEmpty } }

    /// Whether a rule names a host.
    var nameHosts: Bool { rules.contains { !$0.hosts.isEmpty } }

    /// Whether a rule asks for a group.
    var nameGroups: Bool {
        rules.contains { if case .some(let members) = $0.admission { !members.groups.isEmpty } else { false } }
    }

    /// Whether a host is behind the proxies, as far as the rules say which are.
    func protect(_ host: AccessHost, _ scheme: String) -> Bool {
        let patterns = rules.flatMap(\.hosts)
        return patterns.isEmpty || patterns.contains { $0.covers(host, scheme) }
    }

    /// Whether a rule names a host, with its port if it has one.
    func name(_ host: AccessHost, _ scheme: String) -> Bool {
        rules.contains { $0.hosts.contains { $0.names(host, scheme) } }
    }
}
