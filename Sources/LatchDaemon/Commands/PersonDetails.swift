import FoundationEssentials
import GatewayCore
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// A person with the ways to sign in, as printed by `latchd user list` and `latchd user show`.
struct PersonDetails: Sendable {
    let person: GatewayCore.Person
    let hasPassword: Bool
    let identities: [PersonIdentity]

    init(_ person: GatewayCore.Person, hasPassword: Bool, identities: [PersonIdentity]) {
        self.person = person
        self.hasPassword = hasPassword
        self.identities = identities
    }

    /// Loads the details of one person.
    init(_ person: GatewayCore.Person, in people: PeopleStore) async throws {
        self.init(
            person, hasPassword: try await people.hasPassword(person.id),
            identities: try await people.identities(of: person.id))
    }

    /// Returns the details of all people, sorted by e-mail address.
    static func all(in people: PeopleStore) async throws -> [PersonDetails] {
        let identities = try await people.identities()
        let withPassword = try await people.idsWithPassword()
        return try await people.list().map { person in
            PersonDetails(
                person, hasPassword: withPassword.contains(person.id), identities: identities[person.id] ?? [])
        }
    }

    var role: String { person.isAdministrator ? "admin" : "user" }

    var state: String {
        if !person.isActive { return "disabled" }
        return hasPassword || !identities.isEmpty ? "active" : "invited"
    }

    /// Whether the e-mail address is proved to be this person's, and how.
    private var proof: String {
        if person.isVerified { return "yes" }
        return person.hasProvedAddress ? "by an administrator" : "no"
    }

    /// The ways to sign in: `password, google`.
    var ways: String {
        var providers: [String] = []
        for identity in identities where !providers.contains(identity.provider) { providers.append(identity.provider) }
        return ((hasPassword ? ["password"] : []) + providers).joined(separator: ", ")
    }

    var lines: [String] {
        let fields = [
            ("Id", person.id.uuidString.lowercased()), ("E-mail", person.email.printable),
            ("Name", (person.name ?? "").printable), ("Role", role),
            ("State", state), ("Added", person.created.forPeople), ("E-mail verified", proof),
            ("Password", hasPassword ? person.mustChangePassword ? "must be changed" : "yes" : "no"),
        ]
        let width = 16
        return fields.filter { !$0.1.isEmpty }.map { name, value in
            name + String(repeating: " ", count: width - name.count) + value
        }
            + identities.map { identity in
                let name = identity.provider.printable
                let gap = String(repeating: " ", count: max(1, width - name.count))
                return "\(name)\(gap)\(identity.subject.printable) at \(identity.issuer.printable), "
                    + "linked \(identity.linked.forPeople)"
                    + (identity.groups.isEmpty
                        ? "" : ", groups \(identity.groups.map(\.printable).joined(separator: ", "))")
            }
    }

    var json: JSONValue {
        [
            "id": .string(person.id.uuidString.lowercased()), "email": .string(person.email),
            "name": person.name.map(JSONValue.string) ?? .null, "isAdmin": .bool(person.isAdministrator),
            "isActive": .bool(person.isActive), "createdAt": .string(person.created.forPrograms),
            "hasPassword": .bool(hasPassword), "isVerified": .bool(person.isVerified),
            "identities": .array(
                identities.map { identity in
                    [
                        "provider": .string(identity.provider), "issuer": .string(identity.issuer),
                        "subject": .string(identity.subject), "email": identity.email.map(JSONValue.string) ?? .null,
                        "linkedAt": .string(identity.linked.forPrograms),
                        "groups": .array(identity.groups.map(JSONValue.string)),
                    ]
                }),
        ]
    }
}
