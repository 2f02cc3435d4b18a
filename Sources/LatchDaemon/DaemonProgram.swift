import Arguments

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
            "latchd", "Native sign-in for a self-hosted server: the gateway.",
            discussion: """
                Without --config the file is $XDG_CONFIG_HOME/latchd/latchd.yaml, else /etc/latchd/latchd.yaml, and \
                without either the defaults hold. Every key also has a variable: 'latchd check --keys' lists them.

                Exit codes:
                \(ExitCode.help)
                """,
            options: [config],
            commands: [serve, check, user, sessions, keys, apiKeys, providers, sandbox, completions]),
        version: Version.current)

    private static let serve = Command<any ExecutableCommand>(
        "serve", "Serve until a signal ends it.",
        discussion: """
            SIGTERM or Ctrl-C answers the requests under way, then ends it; a second one ends it at once. SIGHUP reads \
            the certificate again, which also happens by itself when its files are replaced.
            """
    ) { given in Serve(configurationPath: given[config]) }

    private static let check: Command<any ExecutableCommand> = {
        let keys = Flag("keys", help: "List every key with its variable, default and meaning instead.")
        return Command(
            "check", "Read the configuration and name every mistake.",
            discussion: "With TLS it also reads the certificate and its key, and tells what they are good for.",
            arguments: [keys]
        ) { given in Check(configurationPath: given[config], isListingKeys: given[keys]) }
    }()

    private static let completions: Command<any ExecutableCommand> = {
        let shell = Argument<Shell>("SHELL", help: "The shell.")
        return Command("completions", "Print a script that completes this command line.", arguments: [shell]) {
            ShowCompletions(shell: $0[shell])
        }
    }()
}
