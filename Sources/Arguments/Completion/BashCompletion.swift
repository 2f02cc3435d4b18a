/// Writes the completion script for bash.
///
/// The script splits the line itself instead of using `COMP_WORDS`, because bash also splits words at `=`, `:` and `@`.
///
/// Source: bash(1), "Programmable Completion".
struct BashCompletion {
    let program: String
    let levels: [CommandLevel]

    private var function: String { "_\(program.functionName)" }

    func script() -> String {
        """
        # Completion of \(program) for bash 4 and later. Try it with: source <(\(program) completions bash)
        \(function)_offer() {
            local candidate
            while IFS= read -r candidate; do
                [[ -n $candidate && $candidate == "$current"* ]] || continue
                [[ $quote ]] || printf -v candidate %q "$candidate"
                COMPREPLY+=("${candidate#"$before"}")
            done
        }

        \(function)() {
            local line=${COMP_LINE:0:COMP_POINT} quote= current= started= words=() index letter
            for ((index = 0; index < ${#line}; index++)); do
                letter=${line:index:1}
                if [[ $quote && $letter == "$quote" ]]; then quote=
                elif [[ -z $quote && ( $letter == \\' || $letter == \\" ) ]]; then quote=$letter started=1
                elif [[ -z $quote && $letter == [[:space:]] ]]; then
                    [[ $started ]] && words+=("$current")
                    current= started=
                elif [[ $quote != \\' && $letter == \\\\ ]]; then ((index++)); current+=${line:index:1} started=1
                else current+=$letter started=1
                fi
            done

            local path=\(program.quotedForShell) place=0 wanting= ended= word
            for word in "${words[@]:1}"; do
                if [[ $wanting ]]; then wanting=; continue; fi
                if [[ -z $ended && $word == -?* ]]; then
                    case "$path/$word" in
                        */--) ended=1 ;;
        \(cases(indent: 16, valueOptions, then: "wanting=$word"))
                    esac
                    continue
                fi
                case "$path/$word" in
        \(cases(indent: 12, commandKeys, then: "path+=\" $word\""))
                    *) ((place++)) ;;
                esac
            done

            # Readline replaces $2: what stands after the last character that it breaks words at.
            local before=
            [[ $current == *"$2" ]] && before=${current%"$2"}
            COMPREPLY=()
            if [[ -z $wanting && -z $ended && $current == --*=* ]]; then
                wanting=${current%%=*} current=${current#*=}
                before=${before#"$wanting="}
            fi
            if [[ $wanting ]]; then
                case "$path/$wanting" in
        \(valueCases)
                esac
            elif [[ -z $ended && $current == -* ]]; then
                case "$path" in
        \(optionCases)
                esac
            else
                case "$path/$place" in
        \(placeCases)
                esac
            fi
        }

        complete -F \(function) \(program)

        """
    }
}

extension BashCompletion {
    private var valueOptions: [String] {
        levels.flatMap { level in
            level.options.filter(\.takesValue).flatMap { Self.spellings($0).map { "\(level.key)/\($0)" } }
        }
    }

    private var commandKeys: [String] {
        levels.flatMap { level in level.commands.map { "\(level.key)/\($0.name)" } }
    }

    private static func spellings(_ option: Parameter) -> [String] {
        (option.short.map { ["-\($0)"] } ?? []) + [option.label]
    }

    private func cases(indent: Int, _ keys: [String], then action: String) -> String {
        let margin = String(repeating: " ", count: indent)
        return keys.map { "\(margin)\($0.quotedForShell)) \(action) ;;" }.joined(separator: "\n")
    }

    private var valueCases: String {
        lines(
            levels.flatMap { level in
                level.options.filter(\.takesValue).compactMap { option in
                    offer(option.completion).map { action in
                        let keys = Self.spellings(option).map { "\(level.key)/\($0)".quotedForShell }
                        return "\(keys.joined(separator: " | "))) \(action) ;;"
                    }
                }
            })
    }

    private var optionCases: String {
        lines(levels.map { "\($0.key.quotedForShell)) \(offer(words: $0.options.map(\.label))) ;;" })
    }

    private var placeCases: String {
        lines(
            levels.flatMap { level -> [String] in
                if !level.commands.isEmpty {
                    return ["\("\(level.key)/0".quotedForShell)) \(offer(words: level.commands.map(\.name))) ;;"]
                }
                return level.positionals.enumerated().compactMap { place, positional in
                    offer(positional.completion).map { action in
                        let key =
                            positional.repeats
                            ? "\("\(level.key)/".quotedForShell)*" : "\(level.key)/\(place)".quotedForShell
                        return "\(key)) \(action) ;;"
                    }
                }
            })
    }

    /// Joins cases and appends a default case, which keeps the `case` statement valid when there are no others.
    private func lines(_ cases: [String]) -> String {
        (cases + ["*) ;;"]).map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }

    private func offer(_ hint: CompletionHint) -> String? {
        switch hint {
        case .none: nil
        case .words(let words): offer(words: words)
        case .file: "compopt -o filenames 2>/dev/null; \(function)_offer < <(compgen -f -- \"$current\")"
        case .folder: "compopt -o filenames 2>/dev/null; \(function)_offer < <(compgen -d -- \"$current\")"
        case .output(let arguments):
            "\(function)_offer < <(\(([program] + arguments).joined(separator: " ")) 2>/dev/null)"
        }
    }

    private func offer(words: [String]) -> String {
        "\(function)_offer < <(printf '%s\\n' \(words.map(\.quotedForShell).joined(separator: " ")))"
    }
}
