import Arguments
import CommandLineTool
import Primitives

/// The declaration of the complete command line.
enum DaemonProgram {
    static let config = Option<String>(
        "config", value: "FILE", environment: "LATCHD_CONFIG", completion: .file,
        help: "The configuration file, in YAML.")
    static let json = Flag("json", help: "Print JSON.")
    static let passwordStdin = Flag(
        "password-stdin", help: "Read the password from the first line of standard input.")
    static let email = Argument<String>(
        "EMAIL", completion: .output(of: ["user", "list", "--emails"]), help: "The person's e-mail address.")

    static let program = Program<any ExecutableCommand>(
        root: Command(
            "latchd", "The gateway: native sign-in for self-hosted servers.",
            discussion: """
                Without --config the configuration file is $XDG_CONFIG_HOME/latchd/latchd.yaml, or else \
                /etc/latchd/latchd.yaml. Without either, the defaults apply. Every key also has an environment \
                variable: 'latchd check --keys' lists them.

                Exit codes:
                \(ExitCode.help)
                """,
            options: [config],
            commands: [
                serve, check, database, user, sessions, keys, apiKeys, clients, bans, providers, sandbox, completions,
            ]),
        version: Release.version)

    private static let serve = Command<any ExecutableCommand>(
        "serve", "Run the gateway until a signal stops it.",
        discussion: """
            SIGTERM or Ctrl-C completes the running requests and then stops the gateway. A second signal stops it \
            immediately. SIGHUP reads the certificate again. This also happens automatically when its files are \
            replaced. While the database does not respond or is locked, the start waits for it.
            """
    ) { given in Serve(configurationPath: given[config]) }

    private static let check: Command<any ExecutableCommand> = {
        let keys = Flag("keys", help: "Only list every key with its variable, default and meaning.")
        return Command(
            "check", "Check the configuration and the database, and report every mistake.",
            discussion: """
                With TLS it also reads the certificate and its key, and shows names and validity. Nothing is created or \
                changed. Exit code 69 means that the database does not answer, and 74 that it cannot be used.
                """,
            arguments: [keys]
        ) { given in Check(configurationPath: given[config], isListingKeys: given[keys]) }
    }()

    private static let completions = Command<any ExecutableCommand>.completions(of: "latchd") { shell, _ in
        ShowCompletions(shell: shell)
    }
}

/// `latchd completions`: prints the completion script of a shell.
private struct ShowCompletions: ExecutableCommand {
    let shell: Shell

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        try Output.write(DaemonProgram.program.completionScript(for: shell))
        return .done
    }
}
