import FoundationEssentials
import LatchGateway
import Terminal
import Wire

/// `latchd user add`.
struct AddPerson: Work {
    let configurationPath: String?
    let email: String
    let name: String?
    let isAdministrator: Bool
    let readsStandardInput: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let person = try await administration.withStores { stores in
            _ = try EmailAddress(email)
            if let person = try await stores.people.find(email) {
                throw GatewayError(.personExists, "Somebody has the e-mail address '\(person.email)' already.")
            }
            let password = try await PasswordInput.read(fromStandardInput: readsStandardInput)
            return try await stores.people.add(
                email: email, name: name, isAdministrator: isAdministrator, password: password)
        }
        try Output.lines(["Added \(person.email.printable)."])
        return .done
    }
}

/// `latchd user list`.
struct ListPeople: Work {
    let configurationPath: String?
    let isJSON: Bool
    let isEmailsOnly: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let people = try await administration.withStores { try await $0.people.list() }
        if isEmailsOnly {
            try Output.lines(people.map(\.email.printable))
        } else if isJSON {
            try Output.json(.array(people.map(json)))
        } else if people.isEmpty {
            try Output.lines(["Nobody yet. Add a person: latchd user add EMAIL"])
        } else {
            var table = Table(["E-MAIL", "NAME", "ROLE", "ADDED", "STATE"])
            for person in people {
                table.add([
                    person.email.printable, (person.name ?? "").printable, person.isAdministrator ? "admin" : "user",
                    person.created.forPeople, person.isActive ? "active" : "disabled",
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }

    private func json(_ person: LatchGateway.Person) -> JSONValue {
        [
            "id": .string(person.id.uuidString.lowercased()), "email": .string(person.email),
            "name": person.name.map(JSONValue.string) ?? .null, "isAdmin": .bool(person.isAdministrator),
            "isActive": .bool(person.isActive), "createdAt": .string(person.created.forPrograms),
        ]
    }
}

/// `latchd user passwd`.
struct SetPassword: Work {
    let configurationPath: String?
    let email: String
    let readsStandardInput: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let person = try await administration.withStores { stores in
            let person = try await stores.people.require(email)
            let password = try await PasswordInput.read(fromStandardInput: readsStandardInput)
            try await stores.people.setPassword(password, of: person.id)
            return person
        }
        try Output.lines(["Changed the password of \(person.email.printable); every session of theirs was ended."])
        return .done
    }
}

/// `latchd user disable`, `enable` and `remove`.
struct ChangePerson: Work {
    enum Change: Sendable { case disable, enable, remove }

    let configurationPath: String?
    let email: String
    let change: Change
    let isConfirmed: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let sentence = try await administration.withStores { stores in
            let person = try await stores.people.require(email)
            guard try await isWanted(person) else { return "Nothing was changed." }
            return try await apply(to: person, in: stores)
        }
        try Output.lines([sentence])
        return .done
    }

    private func isWanted(_ person: LatchGateway.Person) async throws -> Bool {
        guard !isConfirmed else { return true }
        guard let terminal = Terminal() else {
            throw Failure(.usage, "Could not ask whether to remove '\(person.email.printable)': give --yes.")
        }
        return try await terminal.confirm("Remove \(person.email.printable) for good?")
    }

    private func apply(to person: LatchGateway.Person, in stores: GatewayStores) async throws -> String {
        let email = person.email.printable
        switch change {
        case .disable:
            try await stores.people.disable(person.id)
            return "Disabled \(email); every session of theirs was ended."
        case .enable:
            try await stores.people.enable(person.id)
            return "Enabled \(email)."
        case .remove:
            try await stores.people.remove(person.id)
            return "Removed \(email); every session of theirs was ended."
        }
    }
}
