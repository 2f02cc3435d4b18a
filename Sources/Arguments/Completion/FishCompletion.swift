/// Writes the completion script for fish.
///
/// Source: fish `complete`(1), `commandline`(1).
struct FishCompletion {
    let program: String
    let levels: [CommandLevel]

    private var function: String { "__\(program.functionName)_at" }

    func script() -> String {
        """
        # Completion of \(program) for fish 3 and later. Try it with: \(program) completions fish | source

        # Whether the line so far leads to the command $argv[1] and, if given, to its argument number $argv[2];
        # with a third word, to that number or a later one.
        function \(function)
            set -l valued \(list(valueOptions))
            set -l commands \(list(commandKeys))
            set -l words (commandline -opc)
            set -e words[1]
            set -l path \(program.quotedForFish)
            set -l place 0
            set -l wanting 0
            set -l ended 0
            for word in $words
                if test $wanting = 1
                    set wanting 0
                    continue
                end
                if test $ended = 0; and string match -q -- '-*' $word; and test "$word" != -
                    if test "$word" = --
                        set ended 1
                    else if contains -- "$path/$word" $valued
                        set wanting 1
                    end
                    continue
                end
                if contains -- "$path/$word" $commands
                    set path "$path $word"
                else
                    set place (math $place + 1)
                end
            end
            test "$path" = "$argv[1]"; or return 1
            if set -q argv[3]
                test $place -ge $argv[2]
            else if set -q argv[2]
                test $place -eq $argv[2]
            end
        end

        complete -c \(program) -f
        \(levels.flatMap(lines).joined(separator: "\n"))

        """
    }
}

extension FishCompletion {
    private var valueOptions: [String] {
        levels.flatMap { level in
            level.options.filter(\.takesValue).flatMap { option in
                (option.short.map { ["\(level.key)/-\($0)"] } ?? []) + ["\(level.key)/\(option.label)"]
            }
        }
    }

    private var commandKeys: [String] {
        levels.flatMap { level in level.commands.map { "\(level.key)/\($0.name)" } }
    }

    private func list(_ words: [String]) -> String {
        words.map(\.quotedForFish).joined(separator: " ")
    }

    private func lines(_ level: CommandLevel) -> [String] {
        level.commands.map { name, summary in
            "\(head(level, "0")) -a \(name.quotedForFish) -d \(summary.quotedForFish)"
        } + level.options.map { line($0, at: level) }
            + level.positionals.enumerated().compactMap { place, positional in
                values(positional.completion).map {
                    "\(head(level, positional.repeats ? "\(place) more" : "\(place)")) \($0)"
                }
            }
    }

    private func head(_ level: CommandLevel, _ place: String? = nil) -> String {
        let condition = "\(function) \(level.key.quotedForFish)" + (place.map { " \($0)" } ?? "")
        return "complete -c \(program) -n \(condition.quotedForFish)"
    }

    private func line(_ option: Parameter, at level: CommandLevel) -> String {
        var line = head(level) + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.name)"
        if option.takesValue { line += option.completion == .file ? " -r" : " -x" }
        if let values = values(option.completion), option.takesValue { line += " \(values)" }
        return line + " -d \(option.help.quotedForFish)"
    }

    private func values(_ hint: CompletionHint) -> String? {
        switch hint {
        case .none: nil
        case .words(let words): "-a \(words.joined(separator: " ").quotedForFish)"
        case .file: "-F"
        case .folder: "-a '(__fish_complete_directories)'"
        case .output(let arguments):
            "-a \("(\(([program] + arguments).joined(separator: " ")) 2>/dev/null)".quotedForFish)"
        }
    }
}
