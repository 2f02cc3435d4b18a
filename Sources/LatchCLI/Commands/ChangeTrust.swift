import Arguments
import LatchKit
import Terminal

/// `latch tls`: shows or changes how an account's server is trusted and reached.
struct ChangeTrust: ExecutableCommand {
    private static let system = Flag("system", help: "Trust only the system's authorities again; a pin is kept.")
    private static let noPin = Flag("no-pin", help: "Remove the pinned certificate: the authorities decide again.")
    private static let noCertificate = Flag(
        "no-client-certificate", help: "Stop presenting a client certificate to the server.")

    static let command = Command<Request>(
        "tls", "Show or change how an account's server is trusted and reached.",
        discussion: """
            Without options, shows the settings. A change is first tested with the server, and stored if the server \
            responds. You stay signed in, and running programs use the new settings with their next request. The \
            settings apply to all requests of the account: sign-in, renewal, calls and sign-out.
            """,
        arguments: [AccountOption.argument, AccountOption.option] + TrustArguments.all + [
            system, noPin, noCertificate, ConnectionChangeCommand.flag,
        ]
    ) { given throws(ArgumentError) in
        let trust = try TrustArguments(given)
        let clash: (Bool, Bool, String) throws(ArgumentError) -> Void = { (one, other, words) throws(ArgumentError) in
            if one, other { throw given.usageError("give either \(words)") }
        }
        try clash(given[system], trust.namesAuthorities, "--system, --ca or --ca-only")
        try clash(given[noPin], trust.namesPin, "--pin or --no-pin")
        try clash(given[noCertificate], trust.namesCertificate, "--client-certificate or --no-client-certificate")
        return Request(
            given,
            ChangeTrust(
                selector: try AccountOption.selector(given), trust: trust, isSystem: given[system],
                hasNoPin: given[noPin],
                hasNoCertificate: given[noCertificate], isForced: given[ConnectionChangeCommand.flag]))
    }

    private let selector: String?
    private let trust: TrustArguments
    private let isSystem: Bool
    private let hasNoPin: Bool
    private let hasNoCertificate: Bool
    private let isForced: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let account = try await context.account(selector)
        let kit = try await context.client()
        try await context.openSecrets()
        guard !trust.isEmpty || isSystem || hasNoPin || hasNoCertificate else {
            let options = try await kit.accounts.connection(of: account.id)
            let text = ConnectionText(account: account, options: options)
            try context.console.result(text.lines(context.console.output), json: text.json)
            return .done
        }
        try trust.check(fits: account.serverURL)
        let change = try await ConnectionChangeCommand(isForced: isForced, context: context).change(account) {
            options in
            if isSystem { options.authorities = .system }
            if hasNoPin { options.pinnedCertificate = nil }
            if hasNoCertificate { options.clientCertificate = nil }
            try await trust.apply(to: &options, context.prompter)
        }
        let text = ConnectionText(account: account, options: change.options)
        try context.console.result(text.lines(context.console.output), json: text.json)
        return .done
    }
}
