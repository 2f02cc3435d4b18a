import Foundation
import TestSupport
import Testing

/// What needs no server: mistakes, help and completions.
@Suite("The command line", .blocking, .timeLimit(.minutes(20)))
struct CommandLineTests {
    /// One mistake and how it is met.
    struct InvalidCommand: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let code: String
        let words: String

        init(_ arguments: String, _ status: Int32, _ code: String, _ words: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            (self.status, self.code, self.words) = (status, code, words)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let invalidCommands = [
        InvalidCommand("", 64, "usage", "a command is missing"),
        InvalidCommand("frobnicate", 64, "usage", "unknown command"),
        InvalidCommand("whoami --acount x", 64, "usage", "did you mean '--account'"),
        InvalidCommand("login --password hunter2-hunter2 example.org", 64, "usage", "unknown option '--password'"),
        InvalidCommand("login a b", 64, "usage", "too many arguments after"),
        InvalidCommand("login --password-stdin example.org", 64, "usage", "--password-stdin needs --email"),
        InvalidCommand("login --password-stdin --email a@b.c", 64, "usage", "--password-stdin needs ADDRESS"),
        InvalidCommand("login --key-stdin", 64, "usage", "--key-stdin needs ADDRESS"),
        InvalidCommand("login a --key --browser", 64, "usage", "leave out the options of other ways"),
        InvalidCommand("login a --least-privilege --scopes app", 64, "usage", "cannot be combined"),
        InvalidCommand("login a --key --scopes app", 64, "usage", "an existing key"),
        InvalidCommand("login a --scopes ,", 64, "usage", "separated by commas"),
        InvalidCommand("keys", 64, "usage", "a command is missing"),
        InvalidCommand("keys revoke", 64, "usage", "ID is missing"),
        InvalidCommand("keys list", 77, "signed_out", "latch login ADDRESS"),
        InvalidCommand("keys rotate", 77, "signed_out", "latch login ADDRESS"),
        InvalidCommand("login", 64, "no_terminal", "latch login ADDRESS"),
        InvalidCommand("login ftp://example.org", 65, "invalid_address", "http and https"),
        InvalidCommand("login https://user:secret-secret@example.org", 65, "invalid_address", "Invalid server URL"),
        InvalidCommand("login https://", 65, "invalid_address", "Invalid server URL"),
        InvalidCommand("login example.org:99999", 65, "invalid_address", "port"),
        InvalidCommand("login example.org --email nobody", 65, "invalid_email", "needs an @"),
        InvalidCommand("login example.org --header secret-without-colon", 65, "invalid_input", "Name: value"),
        InvalidCommand("request GET /x --header Authorization:x", 65, "invalid_input", "set by the session"),
        InvalidCommand("login example.org --header Host:x", 65, "invalid_input", "or the connection"),
        InvalidCommand("login example.org --header Proxy-Authorization:x", 65, "invalid_input", "or the connection"),
        InvalidCommand(
            "login http://example.org --pin \(String(repeating: "00", count: 32))", 65, "invalid_input", "not encrypted"
        ),
        InvalidCommand("login example.org --client-certificate /etc/hostname", 65, "invalid_input", "must be PEM"),
        InvalidCommand("doctor example.org --account x", 64, "usage", "ADDRESS or --account"),
        InvalidCommand("login example.org --header @/nonexistent", 66, "no_input", "No such file"),
        InvalidCommand("login example.org --ca /nonexistent", 66, "no_input", "No such file"),
        InvalidCommand("login example.org --client-key x", 64, "usage", "--client-certificate"),
        InvalidCommand("login example.org --proxy http://me:hunter2-hunter2@proxy", 64, "usage", "--proxy @FILE"),
        InvalidCommand("login example.org --pin 12:34", 64, "usage", "64 hexadecimal digits"),
        InvalidCommand("login example.org --secrets paper", 64, "usage", "one of service, file"),
        InvalidCommand("login http://127.0.0.1:1", 69, "connection_refused", "refuses the connection"),
        InvalidCommand("login http://nothing.invalid", 69, "name_not_found", "no address"),
        InvalidCommand("doctor", 77, "signed_out", "You are not signed in to any server"),
        InvalidCommand("use", 64, "usage", "ACCOUNT is missing"),
        InvalidCommand("use ada", 77, "signed_out", "You are not signed in to any server"),
        InvalidCommand("whoami", 77, "signed_out", "latch login ADDRESS"),
        InvalidCommand("token", 77, "signed_out", "latch login ADDRESS"),
        InvalidCommand("request GET", 64, "usage", "PATH is missing"),
        InvalidCommand("request G@T /x", 65, "invalid_input", "not a valid method"),
        InvalidCommand("request POST /x --data @/nonexistent", 66, "no_input", "No such file"),
        InvalidCommand("request GET /api/me", 77, "signed_out", "latch login ADDRESS"),
        InvalidCommand("logout", 77, "signed_out", "You are not signed in to any server"),
        InvalidCommand("logout ada --all", 64, "usage", "either ACCOUNT or --all"),
        InvalidCommand("download --parallel 0 x", 64, "usage", "from 1 to 32"),
        InvalidCommand("download --parallel 33 x", 64, "usage", "from 1 to 32"),
        InvalidCommand("completions powershell", 64, "usage", "one of bash, zsh, fish"),
    ]

    @Test(
        "a mistake gives one clear error on standard error, the documented exit code and nothing on standard output",
        arguments: invalidCommands)
    func invalidArguments(_ row: InvalidCommand) async throws {
        let result = try await HomeFixture().latch(row.arguments)

        #expect(result.status == row.status)
        #expect(result.errors.contains(row.words))
        #expect(!result.errors.leaks("hunter2-hunter2") && !result.errors.leaks("user:secret-secret"))
        #expect(result.output.isEmpty)
        #expect(result.errors.split(separator: "\n").count <= 2)
    }

    @Test(
        "with --json a mistake is one JSON value with a stable code, and the same exit code", arguments: invalidCommands
    )
    func invalidArgumentsAsJSON(_ row: InvalidCommand) async throws {
        let result = try await HomeFixture().latch(["--json"] + row.arguments)

        #expect(result.status == row.status)
        let error = try #require(try HomeFixture.json(result)["error"] as? [String: Any])
        #expect(error["code"] as? String == row.code)
        #expect(error["exitCode"] as? Int == Int(row.status))
        #expect((error["message"] as? String)?.isEmpty == false)
    }

    @Test(
        "every command has help, and the program's help has every exit code",
        arguments: [
            "login", "register", "accounts", "use", "whoami", "request", "token", "keys", "pin", "logout", "doctor",
            "password", "sessions", "logs", "tls", "headers", "endpoints", "register-schemes",
            "completions",
        ])
    func help(_ command: String) async throws {
        let home = try HomeFixture()

        let own = try await home.latch(command, "--help")
        #expect(own.status == 0 && own.errors.isEmpty)
        #expect(own.output.hasPrefix("Usage: latch \(command)"))

        let programHelp = try await home.latch("--help")
        #expect(programHelp.output.contains("\n  \(command) "))
        for code in [0, 1, 64, 65, 66, 69, 74, 75, 76, 77, 78, 79, 130] {
            #expect(programHelp.output.contains(String(repeating: " ", count: 5 - String(code).count) + "\(code)  "))
        }
    }

    @Test("the page on the command line has the same table of exit codes as the help")
    func documentedExitCodes() async throws {
        let root = (#filePath as NSString).deletingLastPathComponent + "/../.."
        let page = try String(contentsOfFile: root + "/docs/command-line.md", encoding: .utf8)

        let help = try await HomeFixture().latch("--help").output
        let rows = help.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.first?.isNumber == true }.map { $0.split(separator: " ", maxSplits: 1) }
        #expect(rows.count == 14)
        for row in rows {
            #expect(page.contains("| \(row[0]) | \(row[1].trimmingCharacters(in: .whitespaces)) |"))
        }
    }

    @Test("help and mistakes create no files")
    func createsNoFiles() async throws {
        let home = try HomeFixture()

        _ = try await home.latch("--help")
        _ = try await home.latch("login", "ftp://x")

        #expect(home.everythingOnDisk().isEmpty)
    }

    @Test("each shell accepts its completion script", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        let home = try HomeFixture()
        let script = try await home.latch("completions", shell)
        #expect(script.status == 0)
        #expect(script.output.contains("_accounts"))
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { return }

        let file = try home.folder.write(script.output, to: "script")
        let check = try await Program.run("/usr/bin/\(shell)", ["-n", file], environment: home.environment)
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test("without a terminal the program does not wait for a password")
    func noTerminal() async throws {
        let result = try await HomeFixture().latch("login", input: "secret\n")

        #expect(result.status == 64)
        #expect(result.errors.contains("no terminal"))
    }

    @Test("the program ends quietly if its output is closed")
    func closedPipe() async throws {
        let home = try HomeFixture()
        let script = """
            mkfifo pipe; (exec 3<pipe) & exec 4>pipe; wait
            $LATCH completions bash >&4; echo status $?
            """
        let result = try await home.shell(script)

        #expect(result.output == "status \(128 + SIGPIPE)\n" && result.errors.isEmpty)
    }
}
