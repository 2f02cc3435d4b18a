/// Writes the completion script for zsh: one function per command, each of which calls `_arguments`.
///
/// Source: zshcompsys(1), "Utility Functions", `_arguments`.
struct ZshCompletion {
    let program: String
    let levels: [CommandLevel]

    func script() -> String {
        """
        #compdef \(program)
        # Completion of \(program) for zsh 5 and later. Save it as _\(program) in a folder of $fpath,
        # or try it with: source <(\(program) completions zsh)

        # Offers the lines that the program prints for the arguments given here.
        \(root)_output() {
            local -a found
            found=(${(f)"$(_call_program values \(program) ${(q)@} 2>/dev/null)"})
            (( $#found )) && compadd -a found
        }

        \(levels.map(definition).joined(separator: "\n\n"))

        if [[ $funcstack[1] == \(root) ]]; then
            \(root) "$@"
        else
            compdef \(root) \(program)
        fi

        """
    }
}

extension ZshCompletion {
    private var root: String { "_\(program.functionName)" }

    private func function(_ path: [String]) -> String {
        "_" + path.map(\.functionName).joined(separator: "_")
    }

    private func definition(_ level: CommandLevel) -> String {
        let specifications =
            level.options.map(specification)
            + (level.commands.isEmpty
                ? level.positionals.enumerated().map(specification) : ["'1: :->command'", "'*:: :->rest'"])
        let arguments = (["    _arguments -s -S -C"] + specifications).joined(separator: " \\\n        ")
        guard !level.commands.isEmpty else {
            return "\(function(level.path))() {\n\(arguments)\n}"
        }
        let names = level.commands.map { "\($0.name):\($0.summary.escaping([":", "\\"]))".quotedForShell }
        let branches = level.commands.map { command in
            "                (\(command.name)) \(function(level.path + [command.name])) && found=0 ;;"
        }
        return """
            \(function(level.path))() {
                local curcontext=$curcontext state line found=1
                local -a state_descr names
                typeset -A opt_args
            \(arguments) && found=0
                case $state in
                    (command)
                        names=(\(names.joined(separator: " ")))
                        _describe -t commands command names && found=0 ;;
                    (rest)
                        case $words[1] in
            \(branches.joined(separator: "\n"))
                        esac ;;
                esac
                return found
            }
            """
    }

    private func specification(_ option: Parameter) -> String {
        let isLast = option.name == "help" || option.name == "version"
        let names = (option.short.map { ["-\($0)"] } ?? []) + [option.label]
        let excluded = isLast ? "(- *)" : option.repeats ? "*" : "(\(names.joined(separator: " ")))"
        let spelled =
            (option.short.map { [option.takesValue ? "-\($0)+" : "-\($0)"] } ?? [])
            + [option.takesValue ? "\(option.label)=" : option.label]
        let value = option.takesValue ? ":\(option.valueName):\(action(option.completion))" : ""
        let text = "[\(option.help.escaping(["[", "]", ":", "\\"]))]\(value)".quotedForShell
        let spelling = spelled.count == 1 ? spelled[0] : "{\(spelled.joined(separator: ","))}"
        return "\(excluded.quotedForShell)\(spelling)\(text)"
    }

    private func specification(_ place: Int, _ positional: Parameter) -> String {
        let head = positional.repeats ? "*:" : "\(place + 1)\(positional.isRequired ? ":" : "::")"
        return "\(head)\(positional.name):\(action(positional.completion))".quotedForShell
    }

    private func action(_ hint: CompletionHint) -> String {
        switch hint {
        case .none: " "
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .folder: "_files -/"
        case .output(let arguments): " \(root)_output \(arguments.joined(separator: " "))"
        }
    }
}
