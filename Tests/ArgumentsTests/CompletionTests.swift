import Arguments
import Foundation
import Testing

/// Runs the scripts in the real shells: Debian packages `bash`, `zsh` and `fish`.
@Suite("Completion", .timeLimit(.minutes(2)))
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

    @Test("offers what fits in a real bash", .enabled(if: Self.has("bash")), arguments: lines)
    func bash(line: String, expected: Set<String>) throws {
        let script = """
            \(Self.emails)
            \(Sample.program.completionScript(for: .bash))
            COMP_LINE=\(quoted(line)); COMP_POINT=${#COMP_LINE}
            read -ra COMP_WORDS <<<"$COMP_LINE"; [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
            _sample; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try offered(by: ["bash", "--norc", "-c", script]) == expected)
    }

    @Test("gives bash only what stands after a character that it breaks words at", .enabled(if: Self.has("bash")))
    func bashWordBreaks() throws {
        let script = """
            \(Sample.program.completionScript(for: .bash))
            COMP_LINE='sample move --speed=f' COMP_POINT=21 COMP_WORDS=(sample move --speed = f) COMP_CWORD=4
            _sample; printf '%s\\n' "${COMPREPLY[@]}"
            COMP_LINE='sample move --speed=' COMP_POINT=20 COMP_WORDS=(sample move --speed =) COMP_CWORD=3
            _sample; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try offered(by: ["bash", "--norc", "-c", script]) == ["fast", "slow"])
    }

    @Test("offers what fits in a real fish", .enabled(if: Self.has("fish")), arguments: lines)
    func fish(line: String, expected: Set<String>) throws {
        let script = """
            function sample; test "$argv" = 'emails --plain'; and printf 'ada@example.org\\nbob@example.org\\n'; end
            \(Sample.program.completionScript(for: .fish))
            complete -C \(quoted(line)) | string replace -r '\\t.*' ''
            """
        #expect(try offered(by: ["fish", "--no-config", "-c", script]) == expected)
    }

    @Test("is written so that each shell can read it", arguments: Shell.allCases)
    func syntax(shell: Shell) throws {
        guard Self.has(shell.rawValue) else { return }
        let script = Sample.program.completionScript(for: shell)
        #expect(try run([shell.rawValue, "-n"], input: script).status == 0)
    }
}

extension CompletionTests {
    static func has(_ shell: String) -> Bool {
        ["/bin", "/usr/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }
    }

    func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    func offered(by command: [String]) throws -> Set<String> {
        let text = try run(command).text
        return Set(text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) })
            .subtracting([""])
    }

    func run(_ command: [String], input: String = "") throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        let entry = Pipe()
        process.standardOutput = output
        process.standardInput = entry
        try process.run()
        entry.fileHandleForWriting.write(Data(input.utf8))
        try entry.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
