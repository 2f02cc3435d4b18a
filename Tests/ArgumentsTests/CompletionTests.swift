import Arguments
import Foundation
import TestSupport
import Testing

/// Runs the scripts in the real shells: Debian packages `bash`, `zsh` and `fish`.
@Suite("Completion", .timeLimit(.minutes(20)))
struct CompletionTests {
    /// Line typed so far, and what must be offered.
    static let lines: [(String, Set<String>)] = [
        ("sample ", ["user", "move", "send", "login"]),
        ("sample u", ["user"]),
        ("sample user ", ["add"]),
        ("sample -c x user ", ["add"]),
        ("sample --config=x user ", ["add"]),
        ("sample user add ", ["ada@example.org", "bob@example.org"]),
        ("sample user add b", ["bob@example.org"]),
        ("sample user add --name 'A B' a", ["ada@example.org"]),
        ("sample user add --na", ["--name"]),
        ("sample move --speed ", ["slow", "fast"]),
        ("sample move --speed f", ["fast"]),
        ("sample login ", ["alpha", "beta"]),
        ("sample login alpha ", []),
    ]

    /// The program that the scripts ask for candidates.
    static let emails = "sample() { [ \"$*\" = 'emails --plain' ] && printf 'ada@example.org\\nbob@example.org\\n'; }"

    @Test("offers matching words in a real bash", .enabled(if: Self.has("bash")), arguments: lines)
    func bash(line: String, expected: Set<String>) async throws {
        let script = """
            \(Self.emails)
            \(Sample.program.completionScript(for: .bash))
            COMP_LINE=\(quoted(line)); COMP_POINT=${#COMP_LINE}
            read -ra COMP_WORDS <<<"$COMP_LINE"; [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
            _sample sample "${COMP_WORDS[COMP_CWORD]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try await offered(by: ["bash", "--norc", "-c", script]) == expected)
    }

    @Test("gives bash only the part after a word-break character", .enabled(if: Self.has("bash")))
    func bashWordBreaks() async throws {
        // What an interactive bash 5.2 gave as $2 for these lines.
        let script = """
            \(Self.emails)
            \(Sample.program.completionScript(for: .bash))
            complete_line() {
                COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() COMP_CWORD=0
                _sample sample "$2"; printf '%s\\n' "${COMPREPLY[@]}"
            }
            complete_line 'sample move --speed=f' f
            complete_line 'sample move --speed=' ''
            complete_line 'sample user add ada@e' @e
            complete_line 'sample user add "b' b
            complete_line 'sample user add a\\d' 'a\\d'
            """
        let expected: Set = ["fast", "slow", "@example.org", "bob@example.org", "ada@example.org"]
        #expect(try await offered(by: ["bash", "--norc", "-c", script]) == expected)
    }

    @Test("offers matching words in a real fish", .enabled(if: Self.has("fish")), arguments: lines)
    func fish(line: String, expected: Set<String>) async throws {
        let script = """
            function sample; test "$argv" = 'emails --plain'; and printf 'ada@example.org\\nbob@example.org\\n'; end
            \(Sample.program.completionScript(for: .fish))
            complete -C \(quoted(line)) | string replace -r '\\t.*' ''
            """
        #expect(try await offered(by: ["fish", "--no-config", "-c", script]) == expected)
    }

    @Test("offers matching words in a real zsh", .enabled(if: Self.has("zsh")), arguments: lines)
    func zsh(line: String, expected: Set<String>) async throws {
        // zsh completes only in its line editor: one runs on a terminal of its own, and a wrapper of compadd writes
        // down what it was given. Files tell the one when the other is ready and done.
        let folder = try TemporaryDirectory()
        let setup = """
            PROMPT=; unsetopt beep; \(Self.emails)
            autoload -Uz compinit; compinit -D -u
            \(Sample.program.completionScript(for: .zsh))
            compadd() {
                local -a told; builtin compadd -O told "$@"
                print -rl -- $told >>\(folder.path)/offered; builtin compadd "$@"
            }
            finish() { zle complete; : >\(folder.path)/done }
            zle -C complete complete-word _main_complete; zle -N finish; bindkey '^I' finish
            : >\(folder.path)/ready
            """
        try Data(setup.utf8).write(to: URL(filePath: folder.path + "/setup"))
        let script = """
            zmodload zsh/zpty zsh/zselect; cd \(folder.path)
            await() { until [[ -e $1 ]]; do zpty -rt inner junk; zselect -t 1; done }
            zpty inner zsh -f -i
            zpty -w inner 'source \(folder.path)/setup'; await ready
            zpty -w -n inner \(quoted(line))$'\\t'; await done
            zpty -d inner; : >>offered; cat offered
            """
        // Where nothing else fits, zsh offers options.
        let options: Set = expected.isEmpty ? ["-h", "--help", "-c", "--config"] : []
        #expect(try await offered(by: ["zsh", "-f", "-c", script]).subtracting(options) == expected)
    }

    @Test("is valid syntax for each shell", arguments: Shell.allCases)
    func syntax(shell: Shell) async throws {
        guard Self.has(shell.rawValue) else { return }
        let script = Sample.program.completionScript(for: shell)
        #expect(try await run([shell.rawValue, "-n"], input: script).status == 0)
    }
}

extension CompletionTests {
    static func has(_ shell: String) -> Bool {
        ["/bin", "/usr/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }
    }

    func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    func offered(by command: [String]) async throws -> Set<String> {
        let result = try await run(command)
        #expect(result.errors == "")
        let suggestions = result.output.split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return Set(suggestions).subtracting([""])
    }

    /// A shell that waits for what never comes is ended: then the test fails and does not hang.
    func run(_ command: [String], input: String = "") async throws -> TestSupport.Program.Result {
        try await TestSupport.Program.run("timeout", ["\(SuccessTimeout.seconds)"] + command, input: input)
    }
}
