import Arguments
import LatchKit
import Terminal

/// `latch token`: prints a valid token for another program.
struct ShowToken: ExecutableCommand {
    static let command = Command<Request>(
        "token", "Print a valid token, renewed if need be.",
        discussion: """
            The token is all that another program needs to act as you. Pass it on through a pipe or standard input, as \
            in:

              printf 'Authorization: Bearer %s' "$(latch token)" | curl --header @- https://photos.example.org/api/me

            On a terminal it is printed too, with a warning.
            """,
        arguments: [AccountOption.option]
    ) { given in
        Request(given, ShowToken(selector: given[AccountOption.option]))
    }

    private let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        let token = try await session.validToken()
        let field = session.dialect.authorization(token)["Authorization"] ?? "Bearer "
        let type = field.prefix { $0 != " " }.lowercased()
        try context.console.result(
            [token.reveal()],
            json: ["account": AccountText.json(account), "token": .string(token.reveal()), "tokenType": .string(type)])
        if Descriptor.isTerminal(Descriptor.output) {
            context.console.warn(
                "Whoever sees this token can act as you. Clear the screen, and 'latch logout' ends it.")
        }
        return .done
    }
}
