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

/// Who may make a request, and what is required in addition.
package struct AccessDecision: Sendable, Equatable {
    /// The people who may make the request.
    package let admission: AccessRule.Admission
    /// What is required in addition.
    package let requirement: AccessRequirement
}

extension AccessRules {
    /// Returns who may make a request. If a server could read the path differently, only people who are signed in may
    /// make it.
    ///
    /// - Throws: ``ForwardedRefusal/ambiguousPath`` when the rules decide otherwise for the other reading of the path.
    package func decision(on request: ForwardedRequest) throws(ForwardedRefusal) -> AccessDecision {
        let found = decision(on: request, request.path)
        guard let cut = request.path.cut else { return found }
        guard decision(on: request, cut) == found else { throw .ambiguousPath }
        guard found.admission == .everybody else { return found }
        return AccessDecision(admission: .signedIn, requirement: found.requirement)
    }

    private func decision(on request: ForwardedRequest, _ path: AccessPath) -> AccessDecision {
        let rule = rules.first { $0.covers(request, path) }
        return AccessDecision(
            admission: rule?.admission ?? otherwise, requirement: rule?.requirement ?? AccessRequirement())
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
