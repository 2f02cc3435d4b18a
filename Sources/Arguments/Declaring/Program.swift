/// A program's whole command line: parsing, help and completions come from this one declaration.
///
/// The module does no input or output: what to print is handed back, and what to exit with is the caller's choice.
/// ```swift
/// let name = Option<String>("name", value: "NAME", help: "The name to show.")
/// let email = Argument<String>("EMAIL", help: "Whom to add.")
/// let program = Program(
///     root: Command("latchd", "Sign-in for your servers.", commands: [
///         Command("add", "Add a person.", arguments: [email, name]) { given in Add(given[email], given[name]) }
///     ]),
///     version: "1.0")
/// switch try program.parse(["add", "ada@example.org", "--name=Ada"]) { … }
/// ```
public struct Program<Action: Sendable>: Sendable {
    /// The command that carries the program's name.
    public let root: Command<Action>
    /// What `--version` prints after the program's name.
    public let version: String

    /// Makes a program.
    public init(root: Command<Action>, version: String) {
        self.root = root
        self.version = version
    }

    /// What a command line asks for.
    public enum Outcome: Sendable {
        /// Do this.
        case run(Action)
        /// Print this, which ends with a newline, and be done: help or the version.
        case show(String)
    }

    /// Reads a command line.
    ///
    /// Options may stand anywhere after the command that declares them; `--` ends them. `--help` and `-h` ask for help
    /// at every level, and so does `help` before a command's name; `--version` asks for the version.
    ///
    /// - Parameters:
    ///   - arguments: The words after the program's name.
    ///   - environment: For options that name a variable; an empty variable counts as unset.
    /// - Returns: What to do, or what to print.
    /// - Throws: ``ArgumentError``, one line with what is wrong and where help is.
    ///
    /// Source: POSIX.1-2017 XBD §12.2 (utility syntax), GNU Coding Standards §4.8 (long options).
    public func parse(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws(ArgumentError) -> Outcome {
        var parser = ArgumentParser(root: root)
        switch try parser.read(arguments) {
        case .help(let path): return .show(HelpText(path: path, version: version).rendered())
        case .version: return .show("\(root.name) \(version)\n")
        case .invocation: return .run(try parser.finish(environment: environment))
        }
    }

    /// The help of a command.
    ///
    /// - Parameter names: Names of commands below the root; none for the program itself.
    /// - Returns: Text of at most 80 columns that ends with a newline; nil when there is no such command.
    public func help(_ names: [String] = []) -> String? {
        var path = [root]
        for name in names {
            guard let next = path[path.count - 1].commands.first(where: { $0.name == name }) else { return nil }
            path.append(next)
        }
        return HelpText(path: path, version: version).rendered()
    }

    /// The script that teaches a shell to complete this program's command line.
    public func completionScript(for shell: Shell) -> String {
        let levels = CommandLevel.all(under: root)
        return switch shell {
        case .bash: BashCompletion(program: root.name, levels: levels).script()
        case .zsh: ZshCompletion(program: root.name, levels: levels).script()
        case .fish: FishCompletion(program: root.name, levels: levels).script()
        }
    }
}
