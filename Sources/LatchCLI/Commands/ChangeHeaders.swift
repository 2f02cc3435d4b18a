import Arguments
import HTTPMessages
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
        "headers", "List or change the header fields that are sent with every request to an account's server.",
        discussion: """
            For example, the key of an access proxy in front of the server. The fields are sent only to the server's \
            own host, and encrypted if its address is https. Their values are stored with the secrets. A change is \
            first tested with the server. You stay signed in, and running programs send the new fields with their \
            next request.
            """,
        commands: [list, set, remove])

    private static let list = Command<Request>(
        "list", "List the names of the fields; values are never shown.", arguments: [AccountOption.option]
    ) { given in
        Request(given, ChangeHeaders(selector: given[AccountOption.option], change: .list, isForced: false))
    }

    private static let name = Argument<String>("NAME", help: "The field's name, or @FILE with lines 'Name: value'.")
    private static let value = OptionalArgument<String>(
        "VALUE",
        help: "The field's value. For a secret use @FILE, or @- for standard input: others can see a command line.")

    private static let set = Command<Request>(
        "set", "Send a field from now on. Replaces a field with the same name.",
        arguments: [name, value, AccountOption.option, ConnectionChangeCommand.flag]
    ) { given throws(ArgumentError) in
        if given[name].hasPrefix("@") != (given[value] == nil) {
            throw given.usageError("give NAME and VALUE, or @FILE alone")
        }
        return Request(
            given,
            ChangeHeaders(
                selector: given[AccountOption.option], change: .set(name: given[name], value: given[value]),
                isForced: given[ConnectionChangeCommand.flag]))
    }

    private static let fieldName = Argument<String>("NAME", help: "The field's name.")

    private static let remove = Command<Request>(
        "remove", "Stop sending a field.", arguments: [fieldName, AccountOption.option, ConnectionChangeCommand.flag]
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
        let kit = try await context.client()
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
            options = try await changeHeaders(of: account, context) { headers in
                for field in fields { headers[field.name] = nil }
                for field in fields { headers.append(field.name, field.value) }
            }
        case .remove(let name):
            options = try await changeHeaders(of: account, context) { headers in
                guard headers[name] != nil else {
                    throw LatchError(
                        .invalidInput,
                        "No field '\(name.printable)' is sent to \(account.serverURL). List them: latch headers list")
                }
                headers[name] = nil
            }
        }
        let names = options.extraHeaders.fields.map(\.name)
        try context.console.result(
            names, json: ["account": AccountText.json(account), "headers": .array(names.map { .string($0) })])
        if names.isEmpty, !context.console.isJSON {
            context.console.printMessage("No header fields are added to requests to \(account.serverURL).")
        }
        return .done
    }

    private func changeHeaders(
        of account: Account, _ context: CommandContext, _ body: (inout HTTPHeaders) throws -> Void
    ) async throws -> ConnectionOptions {
        try await ConnectionChangeCommand(isForced: isForced, context: context).change(account) {
            try body(&$0.extraHeaders)
        }.options
    }
}
