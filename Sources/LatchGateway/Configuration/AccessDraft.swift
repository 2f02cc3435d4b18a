import Wire

/// What the configuration says about one access rule, while it is read.
struct AccessDraft: Sendable {
    /// Who may come in, as it is written.
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
    var takesKeys = false

    /// Whether only some of those who are signed in may come.
    var namesPeople: Bool { !users.isEmpty || !groups.isEmpty }

    /// The rule of this name.
    func rule(_ name: String) -> AccessRule {
        AccessRule(
            name: name, hosts: hosts.compactMap(AccessHostPattern.init),
            paths: paths.compactMap(AccessPathPattern.init),
            methods: methods, admission: admission, takesKeys: takesKeys)
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
    /// What may be written for addresses that no rule is about.
    static let otherwise: [(word: String, value: AccessRule.Admission)] = [
        ("signed-in", .signedIn), ("nobody", .nobody),
    ]
}
