package import GatewayConfiguration
import GatewayCore
import HTTPMessages

extension AccessRule {
    /// Whether the rule applies to a request, when its path is read as `path`. Empty lists of hosts, paths or methods
    /// match everything. A rule for GET also applies to HEAD.
    func covers(_ request: ForwardedRequest, _ path: AccessPath) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.covers(request.host, request.scheme) })
            && (paths.isEmpty || paths.contains { $0.covers(path) })
            && (methods.isEmpty || methods.contains(request.method)
                || request.method == .head && methods.contains(.get))
    }
}

extension AccessRules {
    /// Returns who may make a request. If a server could read the path differently, only people who are signed in may
    /// make it.
    ///
    /// - Throws: ``ForwardedRefusal/ambiguousPath`` when the rules admit other people to the other reading of the path.
    package func admission(to request: ForwardedRequest) throws(ForwardedRefusal) -> AccessRule.Admission {
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
    package func acceptsKeys(with request: ForwardedRequest) -> Bool {
        [request.path, request.path.cut].allSatisfy { path in
            guard let path else { return true }
            return rules.first { $0.covers(request, path) }?.acceptsKeys == true
        }
    }
}
