import Wire

extension ConfigurationFamily {
    /// The access rules, in the order in which they apply.
    static let access = ConfigurationFamily(path: "access") { name in
        [
            ConfigurationKey(
                list: "access.\(name).hosts", \.access[name].hosts, of: .accessHost,
                "The hosts that the rule is about, such as app.example.org or *.example.org; with none given, all."),
            ConfigurationKey(
                list: "access.\(name).paths", \.access[name].paths, of: .accessPath,
                "The paths that the rule is about: /health for one, /share/* for one and all below; with none given, all."
            ),
            ConfigurationKey(
                list: "access.\(name).methods", \.access[name].methods, of: .method,
                "The methods that the rule is about, GET with HEAD; with none given, all."),
            ConfigurationKey(
                "access.\(name).allow", \.access[name].allow,
                .choice(AccessDraft.Allowance.allCases.map { ($0.rawValue, $0) }),
                "Who may come in: public for everybody, signed-in, or nobody."),
            ConfigurationKey(
                list: "access.\(name).users", \.access[name].users, of: .accessUser,
                "Of those who are signed in only these, by e-mail address or id, and those in groups."),
            ConfigurationKey(
                list: "access.\(name).groups", \.access[name].groups, of: .group,
                "Of those who are signed in only those in these groups of the identity provider, and users."),
            ConfigurationKey(
                "access.\(name).basic_keys", \.access[name].takesKeys, .boolean,
                "Whether programs that know Basic alone may come with a person's key as the password."),
        ]
    }
}
