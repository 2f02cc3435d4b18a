import HTTPMessages

/// The claims about a person for the requested scopes.
///
/// Source: OpenID Connect Core §5.1 and §5.4.
enum PersonClaims {
    static func of(_ grant: Grant) -> [(String, JSONValue)] {
        var claims: [(String, JSONValue)] = []
        if grant.scopes.contains("email"), grant.choices.fault != .noEmail {
            let isVerified = grant.person.isEmailVerified && grant.choices.fault != .unverifiedEmail
            claims += [("email", .string(grant.person.email)), ("email_verified", .bool(isVerified))]
        }
        if grant.scopes.contains("profile") {
            claims += [
                ("name", .string(grant.person.name)),
                ("preferred_username", .string(String(grant.person.email.prefix { $0 != "@" }))),
            ]
            if !grant.person.groups.isEmpty {
                claims.append(("groups", .array(grant.person.groups.map(JSONValue.string))))
            }
        }
        return claims
    }
}
