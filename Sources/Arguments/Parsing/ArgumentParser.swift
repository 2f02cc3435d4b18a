import Primitives

/// Parses the words of one command line, from the root to a command.
///
/// The parser performs no input or output. `read` collects the words, and `finish` creates the action of the command.
struct ArgumentParser<Action: Sendable> {
    enum RequestedInformation {
        case invocation
        case help([Command<Action>])
        case version
    }

    private(set) var path: [Command<Action>]
    private var words: [String: [String]] = [:]
    private var positionals: [String] = []

    init(root: Command<Action>) {
        path = [root]
    }

    private var command: Command<Action> { path[path.count - 1] }
    private var name: String { path.map(\.name).joined(separator: " ") }
    private var options: [Parameter] { path.flatMap(\.options) }

    /// Collects all words, up to the first that requests help or the version.
    mutating func read(_ arguments: [String]) throws(ArgumentError) -> RequestedInformation {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try parse(word) }
                return .invocation
            }
            if word == "--help" || word == "-h" { return .help(path) }
            if word == "--version", path.count == 1 { return .version }
            if word == "help", isAtHelpCommand { return .help(try helpPath(rest)) }
            if isOption(word) {
                try readOption(word, rest: &rest)
            } else {
                try parse(word)
            }
        }
        return .invocation
    }

    private var isAtHelpCommand: Bool {
        !command.commands.isEmpty && !command.commands.contains { $0.name == "help" }
    }

    /// Returns the path of the command that the words after `help` name.
    private mutating func helpPath(_ names: ArraySlice<String>) throws(ArgumentError) -> [Command<Action>] {
        for name in names where !command.commands.isEmpty && !name.hasPrefix("-") { try parse(name) }
        return path
    }

    /// Returns whether a word is an option. A single dash is not. A negative number is not either, unless an option
    /// uses that digit as its short name.
    private func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 1 else { return false }
        return !isNegativeNumber(word)
    }

    private func isNegativeNumber(_ word: String) -> Bool {
        guard let digit = word.dropFirst().first(where: { $0 != "." }), Double(word) != nil else { return false }
        return digit.isASCII && digit.isNumber && !options.contains { $0.short == digit }
    }

    /// Handles a word that is not an option: the name of a command or a positional argument.
    private mutating func parse(_ word: String) throws(ArgumentError) {
        guard !command.commands.isEmpty else {
            guard let last = command.positionals.last, last.repeats || positionals.count < command.positionals.count
            else { throw tooManyArguments() }
            positionals.append(word)
            return
        }
        guard let next = command.commands.first(where: { $0.name == word }) else { throw unknownCommand(word) }
        path.append(next)
    }
}

extension ArgumentParser {
    private mutating func readOption(_ word: String, rest: inout ArraySlice<String>) throws(ArgumentError) {
        guard word.hasPrefix("--") else { return try readShort(word.dropFirst(), rest: &rest) }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let long = String(parts[0])
        guard let option = options.last(where: { $0.name == long }) else { throw unknownOption("--\(long)") }
        switch (option.takesValue, parts.count > 1 ? String(parts[1]) : nil) {
        case (true, let value?): try record(value, for: option)
        case (true, nil): try record(try value(of: option, rest: &rest), for: option)
        case (false, nil): try record("true", for: option)
        case (false, _?): throw error(.unexpected, "\(option.label) takes no value")
        }
    }

    /// Parses `-x`, `-x VALUE`, `-xVALUE`, `-x=VALUE` and combined flags: `-abc`.
    private mutating func readShort(
        _ letters: Substring, rest: inout ArraySlice<String>
    ) throws(ArgumentError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.last(where: { $0.short == letter }) else { throw unknownOption("-\(letter)") }
            if option.takesValue {
                if letters.isEmpty { return try record(try value(of: option, rest: &rest), for: option) }
                return try record(String(letters.first == "=" ? letters.dropFirst() : letters), for: option)
            }
            if letters.first == "=" { throw error(.unexpected, "\(option.label) takes no value") }
            try record("true", for: option)
        }
    }

    /// Returns the next word as the value of an option. A word that looks like an option is not used as the value.
    private func value(of option: Parameter, rest: inout ArraySlice<String>) throws(ArgumentError) -> String {
        guard let next = rest.first, !isOption(next) else {
            let remedy = rest.isEmpty ? "" : ", or \(option.label)=\(option.valueName) if it begins with a dash"
            throw error(.missing, "\(option.label) needs a value: \(option.label) \(option.valueName)\(remedy)")
        }
        rest = rest.dropFirst()
        return next
    }

    private mutating func record(_ value: String, for option: Parameter) throws(ArgumentError) {
        if words[option.label] != nil, option.takesValue, !option.repeats {
            throw error(.unexpected, "\(option.label) may be given only once")
        }
        words[option.label, default: []].append(value)
    }
}

extension ArgumentParser {
    /// Adds values from the environment, parses all values and creates the action of the command.
    func finish(environment: [String: String]) throws(ArgumentError) -> Action {
        guard let action = command.action else {
            throw error(.missing, "a command is missing: \(command.commands.map(\.name).joined(separator: ", "))")
        }
        var invocation = Invocation(command: name)
        for option in options {
            if let given = words[option.label] {
                invocation.values[option.label] = try read(given, as: option)
            } else if let variable = option.environment, let given = environment[variable], !given.isEmpty {
                invocation.values[option.label] = [try read(given, from: variable, as: option)]
            }
        }
        try readPositionals(into: &invocation)
        return try action(invocation)
    }

    private func readPositionals(into invocation: inout Invocation) throws(ArgumentError) {
        let missing = command.positionals.dropFirst(positionals.count).filter(\.isRequired).map(\.name)
        guard missing.isEmpty else {
            throw error(.missing, "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing")
        }
        var rest = positionals[...]
        for positional in command.positionals {
            let mine = positional.repeats ? rest : rest.prefix(1)
            rest = rest.dropFirst(mine.count)
            invocation.values[positional.label] = try read(Array(mine), as: positional)
        }
    }

    private func read(_ given: [String], as parameter: Parameter) throws(ArgumentError) -> [any Sendable] {
        var values: [any Sendable] = []
        for word in given {
            do {
                values.append(try parameter.read(word))
            } catch {
                throw self.error(.badValue, "\(parameter.label): \(quoted(word)) is not \(error.expected)")
            }
        }
        return values
    }

    /// Parses the value of an environment variable. The error does not show the value, because it may be a secret.
    private func read(
        _ given: String, from variable: String, as option: Parameter
    ) throws(ArgumentError) -> any Sendable {
        do {
            return try option.read(given)
        } catch {
            throw self.error(.badValue, "the environment variable \(variable) is not \(error.expected)")
        }
    }
}

extension ArgumentParser {
    private func error(_ code: ArgumentError.Code, _ problem: String) -> ArgumentError {
        ArgumentError(code, at: name, problem)
    }

    private func unknownOption(_ word: String) -> ArgumentError {
        let known = options.map(\.label) + ["--help"] + (path.count == 1 ? ["--version"] : [])
        let near = word.hasPrefix("--") ? SpellingSuggestion.nearest(to: word, among: known) : nil
        return error(.unknownOption, "unknown option \(quoted(word))" + didYouMean(near))
    }

    private func unknownCommand(_ word: String) -> ArgumentError {
        let near = SpellingSuggestion.nearest(to: word, among: command.commands.map(\.name))
        return error(.unknownCommand, "unknown command \(quoted(word))" + didYouMean(near))
    }

    private func tooManyArguments() -> ArgumentError {
        let names = command.positionals.map(\.name).joined(separator: " ")
        return error(.unexpected, names.isEmpty ? "it takes no arguments" : "too many arguments after \(names)")
    }

    private func didYouMean(_ word: String?) -> String {
        word.map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns a word from the command line in quotes, without control and formatting characters and truncated to 60
    /// characters.
    private func quoted(_ word: String) -> String {
        let printable = word.replacingControls(with: "?")
        return printable.unicodeScalars.count > 60
            ? "'\(String(printable.unicodeScalars.prefix(57)))...'" : "'\(printable)'"
    }
}
