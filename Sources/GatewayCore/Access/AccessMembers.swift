package import FoundationEssentials

/// People who are named individually or by group.
package struct AccessMembers: Sendable, Equatable {
    /// The e-mail addresses of people.
    package let emails: Set<EmailAddress>
    /// The ids of people.
    package let ids: Set<UUID>
    /// The names of groups, as the identity provider sends them.
    package let groups: Set<ExactText>

    /// Creates members from people, by e-mail address or id, and from groups, by name.
    package init(users: [String], groups: [String] = []) {
        ids = Set(users.compactMap { UUID(uuidString: $0) })
        emails = Set(users.filter { UUID(uuidString: $0) == nil }.map { EmailAddress(normalizing: $0) })
        self.groups = Set(groups.map { ExactText($0) })
    }

    /// Whether a person, who is in some groups, is one of the members. An address counts only if a provider or an
    /// administrator has confirmed it.
    package func contains(_ person: Person, in groups: [String]) -> Bool {
        ids.contains(person.id) || !emails.isEmpty && person.provedAddress.map(emails.contains) == true
            || !self.groups.isEmpty && groups.contains { self.groups.contains(ExactText($0)) }
    }
}
