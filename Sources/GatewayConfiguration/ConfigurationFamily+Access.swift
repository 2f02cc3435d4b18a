import GatewayCore
import HTTPMessages

extension ConfigurationFamily {
    /// The access rules, in the order in which they apply.
    static let access = ConfigurationFamily(path: "access") { name in
        [
            ConfigurationKey(
                list: "access.\(name).hosts", \.access[name].hosts, of: .accessHost,
                summary: "The hosts that the rule applies to, such as app.example.org or *.example.org. By default, "
                    + "all."),
            ConfigurationKey(
                list: "access.\(name).paths", \.access[name].paths, of: .accessPath,
                summary: "The paths that the rule applies to: /health for one path, /share/* for a path and everything "
                    + "below it. By default, all."),
            ConfigurationKey(
                list: "access.\(name).methods", \.access[name].methods, of: .method,
                summary: "The methods that the rule applies to. GET includes HEAD. By default, all."),
            ConfigurationKey(
                "access.\(name).allow", \.access[name].allow,
                as: .choice(AccessDraft.Allowance.allCases.map { ($0.rawValue, $0) }),
                summary: "Who has access: public (everyone), signed-in (people who are signed in), or nobody."),
            ConfigurationKey(
                list: "access.\(name).users", \.access[name].users, of: .accessUser,
                summary: "The people who have access, by e-mail address or id, in addition to groups. By default, "
                    + "everyone who is signed in."),
            ConfigurationKey(
                list: "access.\(name).groups", \.access[name].groups, of: .group,
                summary: "The groups of the identity provider whose members have access, in addition to users. By "
                    + "default, everyone who is signed in."),
            ConfigurationKey(
                "access.\(name).basic_keys", \.access[name].acceptsKeys, as: .boolean,
                summary: "Whether programs that support only Basic may use a person's key as the password."),
            ConfigurationKey(
                "access.\(name).max_age", \.access[name].requirement.maximumAge,
                as: .optionalDuration(.seconds(30)...(.seconds(30 * 86_400))),
                summary: "How long ago people may have authenticated. Others must sign in again. By default, any "
                    + "time."),
            ConfigurationKey(
                "access.\(name).acr", \.access[name].requirement.level,
                as: .choice([("none", nil)] + AuthenticationLevel.allCases.map { ($0.rawValue, $0) }),
                summary:
                    "How people must have authenticated: multi-factor, as their identity provider reports it, or none "
                    + "for any way."),
            ConfigurationKey(
                list: "access.\(name).scopes", \.access[name].requirement.scopes, of: .scope,
                summary: "The scopes that an access token of a client must have. By default, none."),
        ]
    }
}
