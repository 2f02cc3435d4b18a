import Arguments
import LatchKit
import Terminal

/// Whether and how to sign in with the browser, as the command line says it.
struct BrowserArguments: Sendable {
    private static let browser = Flag("browser", help: "Sign in with the browser.")
    private static let command = Option<String>(
        "browser-command", value: "COMMAND", environment: "LATCH_BROWSER", defaultText: "xdg-open",
        help: "Open the address with this command; %s in it stands for the address.")
    private static let noBrowser = Flag(
        "no-browser",
        help: "Open no browser: print the address, to be opened anywhere, and take the link that comes back.")
    private static let provider = Option<String>(
        "provider", value: "ID", help: "Sign in through this identity provider of the server, with the browser.")
    private static let callback = Option<CallbackWord>(
        "callback", value: "WAY", defaultText: "as the server lets",
        help: "How the browser comes back: by a port of this machine, or by a link for a registered program.")
    private static let timeout = Option<Int>(
        "timeout", value: "SECONDS", defaultText: "600", help: "Wait so long for the browser to come back.")

    /// In the order of help.
    static let all: [any ParameterDeclaring] = [browser, command, noBrowser, provider, callback, timeout]

    /// Whether the person decided for the browser.
    let isChosen: Bool
    /// The identity provider, if one was named.
    let provider: String?
    private let opensNone: Bool
    private let command: String?
    private let callback: CallbackMethod
    private let timeout: Duration

    init(_ given: Invocation) throws(ArgumentError) {
        provider = given[Self.provider]
        opensNone = given[Self.noBrowser]
        command = given[Self.command]
        callback = given[Self.callback]?.method ?? .automatic
        let seconds = given[Self.timeout] ?? 600
        guard (1...86_400).contains(seconds) else { throw given.mistake("--timeout takes 1 to 86400 seconds") }
        timeout = .seconds(seconds)
        isChosen = given[Self.browser] || opensNone || provider != nil
        if given[Self.browser], opensNone { throw given.mistake("--browser and --no-browser exclude each other") }
    }

    /// The sign-in at a provider, told to the person as it goes.
    func signIn(provider: String?, _ run: Run) throws -> BrowserSignIn {
        var signIn = BrowserSignIn(provider: provider, callback: callback, browser: try browser(), timeout: timeout)
        signIn.onEvent = { tell($0, run) }
        if opensNone || run.person.isThere { signIn.pasted = { try await Self.paste(run) } }
        return signIn
    }

    private func browser() throws -> Browser? {
        guard !opensNone else { return nil }
        return try command.map { try .command($0) } ?? .system
    }

    private func tell(_ event: BrowserSignIn.Event, _ run: Run) {
        switch event {
        case .waiting(let address, let method):
            let start =
                opensNone
                ? "Open this address in a browser, on any machine:"
                : "Opening the browser. If none comes up, open this address:"
            run.console.note("\(start)\n\n  \(address)\n")
            if method == .scheme, !opensNone, (try? SchemeRegistration())?.hasEntry == false {
                run.console.note("The link back does not come to latch yet: run 'latch register-schemes' once.")
            }
            guard opensNone || run.person.isThere else { return }
            run.console.note(Self.way(back: method))
        case .browserFailed(let reason):
            run.console.warn("The browser was not opened: \(reason.printable) Open the address yourself.")
        case .strangeLink: run.console.warn("That is not the link of this sign-in. Nothing was changed.")
        }
    }

    private static func way(back method: CallbackMethod) -> String {
        switch method {
        case .scheme:
            "The last page has a button back to the app. If nothing happens here then, copy the button's link and paste it "
                + "here."
        case .loopback, .automatic:
            "If the browser runs on another machine, its last page cannot be shown: copy its address and paste it here."
        }
    }

    /// A link from the person at the terminal; without one, a line of standard input.
    private static func paste(_ run: Run) async throws -> String? {
        if let terminal = run.person.terminal { return try await terminal.ask("Link") }
        guard let line = try await StandardInput.line(), !line.isEmpty else { return nil }
        return line
    }
}

/// The words of `--callback`.
enum CallbackWord: String, CaseIterable, ArgumentValue {
    case scheme
    case loopback

    var method: CallbackMethod { self == .scheme ? .scheme : .loopback }
}
