import Arguments

/// A small program that has one of everything.
enum Sample {
    enum Action: Equatable, Sendable {
        case add(email: String, name: String?, admin: Bool, config: String?)
        case move(x: Int, y: Int?, speed: Level?)
        case send(headers: [String], files: [String], verbose: Bool)
        case login(String?)
    }

    enum Level: String, CaseIterable, ArgumentValue {
        case slow, fast
    }

    static let config = Option<String>(
        "config", short: "c", value: "FILE", environment: "SAMPLE_CONFIG", completion: .file, help: "Read this file.")
    static let name = Option<String>("name", short: "n", value: "NAME", help: "The name to show [to: people].")
    static let admin = Flag("admin", help: "It's an administrator.")
    static let email = Argument<String>("EMAIL", completion: .output(of: ["emails", "--plain"]), help: "Whom.")
    static let x = Argument<Int>("X", help: "Right.")
    static let y = OptionalArgument<Int>("Y", help: "Up.")
    static let speed = Option<Level>("speed", value: "SPEED", defaultText: "slow", help: "How fast.")
    static let headers = OptionList<String>("header", short: "H", value: "HEADER", help: "A header to send.")
    static let verbose = Flag("verbose", short: "v", environment: "SAMPLE_VERBOSE", help: "Say more.")
    static let quiet = Flag("quiet", short: "q", help: "Say less.")
    static let files = RemainingArguments<String>("FILE", atLeastOne: true, completion: .file, help: "What to send.")
    static let server = OptionalArgument<String>("SERVER", completion: .words(["alpha", "beta"]), help: "Where.")

    static let program = Program(
        root: Command(
            "sample", "Show what a command line can do.", discussion: "Exit codes:\n  0  fine\n  1  not",
            options: [config],
            commands: [
                Command(
                    "user", "Work with people.",
                    commands: [
                        Command("add", "Add a person.", arguments: [email, name, admin]) { given in
                            Action.add(
                                email: given[email], name: given[name], admin: given[admin], config: given[config])
                        }
                    ]),
                Command("move", "Move by numbers.", arguments: [x, y, speed]) { given throws(ArgumentError) in
                    if given[x] == 13 { throw given.usageError("13 is not moved by") }
                    return Action.move(x: given[x], y: given[y], speed: given[speed])
                },
                Command("send", "Send files.", arguments: [headers, verbose, quiet, files]) { given in
                    Action.send(headers: given[headers], files: given[files], verbose: given[verbose])
                },
                Command("login", "Sign in.", arguments: [server]) { given in Action.login(given[server]) },
            ]),
        version: "1.2.3")

    /// The action of a command line that has one.
    static func action(_ words: String..., environment: [String: String] = [:]) throws -> Action? {
        guard case .run(let action) = try program.parse(words, environment: environment) else { return nil }
        return action
    }

    /// The text of a command line that asks for some.
    static func text(_ words: String...) throws -> String? {
        guard case .show(let text) = try program.parse(words) else { return nil }
        return text
    }
}
