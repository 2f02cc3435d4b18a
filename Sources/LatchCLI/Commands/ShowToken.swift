import Arguments
import LatchKit
import Terminal

/// `latch token`: prints a valid token for another program.
struct ShowToken: ExecutableCommand {
    static let command = Command<Request>(
        "token", "Print a valid token, renewed if needed.",
        discussion: """
            With the token, another program can act as you. Pass it through a pipe or standard input:

              printf 'Authorization: Bearer %s' "$(latch token)" | curl --header @- https://photos.example.org/api/me

            On a terminal it is also printed, with a warning.

            A server can bind a token to a key of this device. Other programs cannot use such a token; send requests with \
            'latch request'.
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
        let type = session.tokenIsBound ? "dpop" : field.prefix { $0 != " " }.lowercased()
        try context.console.result(
            [token.reveal()],
            json: ["account": AccountText.json(account), "token": .string(token.reveal()), "tokenType": .string(type)])
        if session.tokenIsBound {
            context.console.warn(
                "The token is bound to a key of this device, so other programs cannot use it. Send requests with 'latch "
                    + "request'.")
        } else if Descriptor.isTerminal(Descriptor.output) {
            context.console.warn(
                "Anyone who sees this token can act as you. Clear the screen. 'latch logout' makes the token invalid.")
        }
        return .done
    }
}
