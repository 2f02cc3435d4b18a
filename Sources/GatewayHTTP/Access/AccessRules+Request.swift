package import GatewayConfiguration
package import GatewayCore
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
    /// The people who may make a request.
    package enum Admission: Sendable, Equatable {
        /// Everybody, signed in or not.
        case everybody
        /// Everybody who is signed in.
        case signedIn
        /// The people who are signed in and among the members of each list.
        case some([AccessMembers])
        /// No one has access.
        case nobody
    }

    /// The people who may make the request.
    package let admission: Admission
    /// What is required in addition.
    package let requirement: AccessRequirement
}

extension AccessDecision {
    /// Returns the decision that allows only what both decisions allow.
    func and(_ other: AccessDecision) -> AccessDecision {
        AccessDecision(
            admission: admission.and(other.admission), requirement: requirement.and(other.requirement))
    }
}

extension AccessDecision.Admission {
    init(_ admission: AccessRule.Admission) {
        self =
            switch admission {
            case .everybody: .everybody
            case .signedIn: .signedIn
            case .some(let members): .some([members])
            case .nobody: .nobody
            }
    }

    /// Returns the people whom both admit.
    func and(_ other: Self) -> Self {
        switch (self, other) {
        case (.nobody, _), (_, .nobody): .nobody
        case (.some(let lists), .some(let more)): .some(lists + more)
        case (.some, _): self
        case (_, .some): other
        case (.signedIn, _), (_, .signedIn): .signedIn
        case (.everybody, .everybody): .everybody
        }
    }
}

extension AccessRules {
    /// Returns who may make a request. With a destination, these are the people whom the rules admit to both paths. If
    /// a server could read a path differently, only people who are signed in may make the request.
    ///
    /// - Throws: ``ForwardedRefusal/ambiguousPath`` when the rules decide otherwise for the other reading of a path.
    package func decision(on request: ForwardedRequest) throws(ForwardedRefusal) -> AccessDecision {
        let found = try certainDecision(on: request, request.path)
        guard let destination = request.destination else { return found }
        return found.and(try certainDecision(on: request, destination))
    }

    /// Returns the decision for one path, which is the same for both readings of the path.
    private func certainDecision(
        on request: ForwardedRequest, _ path: AccessPath
    ) throws(ForwardedRefusal) -> AccessDecision {
        let found = decision(on: request, path)
        guard let cut = path.cut else { return found }
        guard decision(on: request, cut) == found else { throw .ambiguousPath }
        guard found.admission == .everybody else { return found }
        return AccessDecision(admission: .signedIn, requirement: found.requirement)
    }

    private func decision(on request: ForwardedRequest, _ path: AccessPath) -> AccessDecision {
        let rule = rules.first { $0.covers(request, path) }
        return AccessDecision(
            admission: AccessDecision.Admission(rule?.admission ?? otherwise),
            requirement: rule?.requirement ?? AccessRequirement())
    }

    /// Whether a request may authenticate with a person's API key. The rules must allow it for the path and for the
    /// destination, and if two servers could read one of them differently, for both readings.
    package func acceptsKeys(with request: ForwardedRequest) -> Bool {
        [request.path, request.path.cut, request.destination, request.destination?.cut].allSatisfy { path in
            guard let path else { return true }
            return rules.first { $0.covers(request, path) }?.acceptsKeys == true
        }
    }
}
