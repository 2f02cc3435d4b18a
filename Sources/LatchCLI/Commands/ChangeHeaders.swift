import Arguments
import LatchKit
import Primitives
import Terminal

/// `latch headers`: lists and changes the header fields that are sent with every request to an account's server.
struct ChangeHeaders: ExecutableCommand {
    /// The operation on the fields.
    enum Change: Sendable {
        case list
        /// Sets one field, or all fields in the lines of a file when `value` is nil.
        case set(name: String, value: String?)
        case remove(name: String)
    }

    static let command = Command<Request>(
        "headers", "List or change the fields that go with every request to an account's server.",
        discussion: """
            Such as the key of an access proxy in front of it. They go to the server's own host only, encrypted where its \
            address is, and their values are kept with the secrets. A change is tried at the server first; you stay signed \
            in, and programs that run already send the new fields with their next request.
            """,
        commands: [list, set, remove])

    private static let list = Command<Request>(
        "list", "List their names; values are never shown.", arguments: [AccountOption.option]
    ) { given in
        Request(given, ChangeHeaders(selector: given[AccountOption.option], change: .list, isForced: false))
    }

    private static let name = Argument<String>("NAME", help: "The field's name, or @FILE with lines 'Name: value'.")
    private static let value = OptionalArgument<String>(
        "VALUE", help: "Its value; better @FILE, or @- for standard input: others can see a command line.")

    private static let set = Command<Request>(
        "set", "Send a field from now on; one of that name is replaced.",
        arguments: [name, value, AccountOption.option, ConnectionChangeCommand.flag]
    ) { given throws(ArgumentError) in
        if given[name].hasPrefix("@") != (given[value] == nil) {
            throw given.mistake("give NAME and VALUE, or @FILE alone")
        }
        return Request(
            given,
            ChangeHeaders(
                selector: given[AccountOption.option], change: .set(name: given[name], value: given[value]),
                isForced: given[ConnectionChangeCommand.flag]))
    }

    private static let fieldName = Argument<String>("NAME", help: "The field's name.")

    private static let remove = Command<Request>(
        "remove", "Send a field no more.", arguments: [fieldName, AccountOption.option, ConnectionChangeCommand.flag]
    ) { given in
        Request(
            given,
            ChangeHeaders(
                selector: given[AccountOption.option], change: .remove(name: given[fieldName]),
                isForced: given[ConnectionChangeCommand.flag]))
    }

    let selector: String?
    let change: Change
    let isForced: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let account = try await context.account(selector)
        let kit = try await context.latchstring()
        try await context.openSecrets()
        let options: ConnectionOptions
        switch change {
        case .list: options = try await kit.accounts.connection(of: account.id)
        case .set(let name, let value):
            let fields =
                if let value { try await HeaderLines.read(name: name, value: value) } else {
                    try await HeaderLines.read([name], with: .server)
                }
            if let dialect = Dialects.named(account.dialect) { try HeaderLines.check(fields, for: dialect) }
            options = try await keep(account, context) { headers in
                for field in fields { headers[field.name] = nil }
                for field in fields { headers.append(field.name, field.value) }
            }
        case .remove(let name):
            options = try await keep(account, context) { headers in
                guard headers[name] != nil else {
                    throw LatchError(
                        .invalidInput,
                        "No field '\(name.printable)' is sent to \(account.serverURL). See what is: latch headers list")
                }
                headers[name] = nil
            }
        }
        let names = options.extraHeaders.fields.map(\.name)
        try context.console.result(
            names, json: ["account": AccountText.json(account), "headers": .array(names.map { .string($0) })])
        if names.isEmpty, !context.console.isJSON {
            context.console.note("No field is added to requests to \(account.serverURL).")
        }
        return .done
    }

    private func keep(
        _ account: Account, _ context: CommandContext, _ body: (inout HTTPHeaders) throws -> Void
    ) async throws -> ConnectionOptions {
        try await ConnectionChangeCommand(isForced: isForced, context: context).change(account) {
            try body(&$0.extraHeaders)
        }.options
    }
}
