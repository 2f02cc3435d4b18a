import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// `latchd user add`: adds or invites a person.
struct AddPerson: ExecutableCommand {
    let configurationPath: String?
    let email: String
    let name: String?
    let isAdministrator: Bool
    let mustChange: Bool
    let password: Source

    /// Where the password comes from.
    enum Source: Sendable { case terminal, standardInput, none }

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let (person, settings) = try await administration.withStores(createsFile: true) { stores in
            _ = try EmailAddress(email)
            if let person = try await stores.people.find(email) {
                throw GatewayError(.personExists, "The e-mail address '\(person.email)' is already in use.")
            }
            guard password != .none else {
                let person = try await stores.people.invite(
                    email: email, name: name, isAdministrator: isAdministrator)
                return (person, stores.settings)
            }
            let password = try await PasswordInput.read(fromStandardInput: password == .standardInput)
            let person = try await stores.people.add(
                email: email, name: name, isAdministrator: isAdministrator, password: password,
                mustChange: mustChange)
            return (person, stores.settings)
        }
        let address = person.email.printable
        try Output.lines(password == .none ? Self.invitation(of: address, settings) : ["Added \(address)."])
        return .done
    }

    /// Says how an invited person can sign in.
    private static func invitation(of address: String, _ settings: GatewaySettings) -> [String] {
        guard !settings.providers.contains(where: \.admitsInvited) else { return ["Invited \(address)."] }
        let reason =
            settings.providers.isEmpty
            ? "there is no identity provider. Add one ('providers')"
            : "no identity provider admits invited people. Set 'registration: invited' for one"
        let password = settings.passwordsEnabled ? ", or set a password: latchd user passwd \(address)" : "."
        return ["Added \(address), who cannot sign in yet: \(reason)\(password)"]
    }
}

/// `latchd user list`: prints all people.
struct ListPeople: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool
    let isEmailsOnly: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let people = try await administration.withStores { try await PersonDetails.all(in: $0.people) }
        if isEmailsOnly {
            try Output.lines(people.map(\.person.email.printable))
        } else if isJSON {
            try Output.json(.array(people.map(\.json)))
        } else if people.isEmpty {
            try Output.lines(["No people yet. Add a person: latchd user add EMAIL"])
        } else {
            var table = Table(["E-MAIL", "NAME", "ROLE", "SIGN-IN", "ADDED", "STATE"])
            for details in people {
                let person = details.person
                table.add([
                    person.email.printable, (person.name ?? "").printable, details.role, details.ways.printable,
                    person.created.forPeople, details.state,
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }
}

/// `latchd user show`: prints one person with all ways to sign in.
struct ShowPerson: ExecutableCommand {
    let configurationPath: String?
    let email: String
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let details = try await administration.withPerson(email) { try await PersonDetails($0, in: $1.people) }
        if isJSON { try Output.json(details.json) } else { try Output.lines(details.lines) }
        return .done
    }
}

/// `latchd user link`: links a person to an identity at a provider.
struct LinkPerson: ExecutableCommand {
    let configurationPath: String?
    let email: String
    let provider: String
    let subject: String
    let isForced: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let linked = try await administration.withPerson(email) { person, stores in
            guard let provider = stores.settings.providers.first(where: { $0.id == provider }) else {
                throw Failure(.notFound, ListProviders.unknown(provider))
            }
            do {
                let isReplaced = try await stores.people.link(
                    person.id, to: subject, at: provider, allowsUnseen: isForced,
                    unproved: isForced ? .replaced : .refused)
                return (email: person.email, isReplaced: isReplaced)
            } catch let error as GatewayError where error.code == .addressUnproved {
                throw Failure(
                    .failed,
                    "\(error.message) Give --force to link it all the same: its password, PIN and other identities are "
                        + "removed, its sessions end, and its keys are revoked.")
            }
        }
        let effect =
            linked.isReplaced
            ? " Removed its password, PIN and other identities, ended its sessions and revoked its keys." : ""
        try Output.lines([
            "Linked \(linked.email.printable) to '\(subject.printable)' at \(provider.printable).\(effect)"
        ])
        return .done
    }
}

/// `latchd user unlink`: removes a person's identity at a provider.
struct UnlinkPerson: ExecutableCommand {
    let configurationPath: String?
    let email: String
    let provider: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let person = try await administration.withPerson(email) { person, stores in
            guard try await stores.people.unlink(person.id, from: provider) > 0 else {
                throw Failure(
                    .notFound,
                    "\(person.email.printable) has no identity at '\(provider.printable)'. "
                        + "'latchd user show' lists the identities.")
            }
            return person
        }
        try Output.lines([
            "Unlinked \(person.email.printable) from \(provider.printable) and ended all their sessions."
        ])
        return .done
    }
}

/// `latchd user passwd`: sets a person's password.
struct SetPassword: ExecutableCommand {
    let configurationPath: String?
    let email: String
    let readsStandardInput: Bool
    let mustChange: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let person = try await administration.withPerson(email) { person, stores in
            let password = try await PasswordInput.read(fromStandardInput: readsStandardInput)
            try await stores.people.setPassword(password, of: person.id, mustChange: mustChange)
            return person
        }
        try Output.lines(["Changed the password of \(person.email.printable) and ended all their sessions."])
        return .done
    }
}

/// `latchd user disable`, `enable` and `remove`: disables, enables or removes a person.
struct ChangePerson: ExecutableCommand {
    enum Change: Sendable { case disable, enable, remove }

    let configurationPath: String?
    let email: String
    let change: Change
    let isConfirmed: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let sentence = try await administration.withPerson(email) { person, stores in
            guard try await isWanted(person) else { return "Nothing was changed." }
            return try await apply(to: person, in: stores)
        }
        try Output.lines([sentence])
        return .done
    }

    private func isWanted(_ person: GatewayCore.Person) async throws -> Bool {
        guard !isConfirmed else { return true }
        guard let terminal = Terminal() else {
            throw Failure(
                .usage, "There is no terminal for a confirmation. To remove '\(person.email.printable)', give --yes.")
        }
        return try await terminal.confirm("Remove \(person.email.printable) permanently?")
    }

    private func apply(to person: GatewayCore.Person, in stores: GatewayStores) async throws -> String {
        let email = person.email.printable
        switch change {
        case .disable:
            try await stores.people.disable(person.id)
            return "Disabled \(email) and ended all their sessions."
        case .enable:
            try await stores.people.enable(person.id)
            return "Enabled \(email)."
        case .remove:
            try await stores.people.remove(person.id)
            return "Removed \(email) and ended all their sessions."
        }
    }
}
