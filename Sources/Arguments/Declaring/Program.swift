/// A declaration of a program's command line, from which parsing, help and completions are derived.
///
/// The module performs no input or output. It returns the text to print, and the caller chooses the exit status.
/// ```swift
/// let name = Option<String>("name", value: "NAME", help: "The name to show.")
/// let email = Argument<String>("EMAIL", help: "The person to add.")
/// let program = Program(
///     root: Command("latchd", "Sign-in for your servers.", commands: [
///         Command("add", "Add a person.", arguments: [email, name]) { given in Add(given[email], given[name]) }
///     ]),
///     version: "1.0")
/// switch try program.parse(["add", "ada@example.org", "--name=Ada"]) { … }
/// ```
package struct Program<Action: Sendable>: Sendable {
    /// The command with the name of the program.
    package let root: Command<Action>
    /// The version that `--version` prints after the name of the program.
    package let version: String

    /// Creates a program.
    package init(root: Command<Action>, version: String) {
        self.root = root
        self.version = version
    }

    /// The result of parsing a command line.
    package enum Outcome: Sendable {
        /// An action to run.
        case run(Action)
        /// A text to print, such as help or the version. It ends with a newline.
        case show(String)
    }

    /// Parses a command line.
    ///
    /// Options may appear anywhere after the command that declares them, up to `--`. `--help` and `-h` show help at
    /// every level, and so does `help` before the name of a command. `--version` shows the version.
    ///
    /// - Parameters:
    ///   - arguments: The words after the name of the program.
    ///   - environment: The variables for options that name one. An empty variable counts as unset.
    /// - Returns: The action to run or the text to print.
    /// - Throws: ``ArgumentError`` with one line that states the problem and how to get help.
    ///
    /// Source: POSIX.1-2017 XBD §12.2 (utility syntax), GNU Coding Standards §4.8 (long options).
    package func parse(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws(ArgumentError) -> Outcome {
        var parser = ArgumentParser(root: root)
        switch try parser.read(arguments) {
        case .help(let path): return .show(HelpText(path: path, version: version).rendered())
        case .version: return .show("\(root.name) \(version)\n")
        case .invocation: return .run(try parser.finish(environment: environment))
        }
    }

    /// Returns the help of a command.
    ///
    /// - Parameter names: The names of the commands below the root. Empty for the program itself.
    /// - Returns: Text of at most 80 columns that ends with a newline. Nil when there is no such command.
    package func help(_ names: [String] = []) -> String? {
        var path = [root]
        for name in names {
            guard let next = path[path.count - 1].commands.first(where: { $0.name == name }) else { return nil }
            path.append(next)
        }
        return HelpText(path: path, version: version).rendered()
    }

    /// Returns a script that makes a shell complete the program's command line.
    package func completionScript(for shell: Shell) -> String {
        let levels = CommandLevel.all(under: root)
        return switch shell {
        case .bash: BashCompletion(program: root.name, levels: levels).script()
        case .zsh: ZshCompletion(program: root.name, levels: levels).script()
        case .fish: FishCompletion(program: root.name, levels: levels).script()
        }
    }
}
