import Arguments
import Desktop
import LatchKit
import Terminal

/// The options for signing in with the browser.
struct BrowserArguments: Sendable {
    private static let browser = Flag("browser", help: "Sign in with the browser.")
    private static let command = Option<String>(
        "browser-command", value: "COMMAND", environment: "LATCH_BROWSER",
        defaultText: "\(DesktopProgram.opener), or the default of the server's family",
        help: "Open the address with this command; %s is replaced by the address.")
    private static let ephemeral = Flag(
        "ephemeral",
        help:
            "Open Chromium or Firefox with a temporary profile that is removed afterwards; default for Time Tracker."
    )
    private static let noBrowser = Flag(
        "no-browser",
        help: "Open no browser: print the address, to be opened anywhere, and read the resulting link.")
    private static let device = Flag(
        "device",
        help: "Sign in with a code that you enter in the browser of another device, such as a phone. Shows it as a QR "
            + "code too.")
    private static let qrCode = Flag("qr", help: "Also show the address as a QR code, on a terminal.")
    private static let noQRCode = Flag("no-qr", help: "Show no QR code, even with --no-browser or --device.")
    private static let provider = Option<String>(
        "provider", value: "ID", help: "Sign in through this identity provider of the server, with the browser.")
    private static let clientID = Option<String>(
        "client-id", value: "ID",
        defaultText: "that of an earlier sign-in, or a new one that the server registers",
        help: "Sign in as the client with this id, for servers of OAuth that do not register programs."
    )
    private static let callback = Option<CallbackArgument>(
        "callback", value: "WAY", defaultText: "the way that the server supports",
        help: "How the browser returns: to a port of this machine, or by a link for a registered program.")
    private static let timeout = Option<Int>(
        "timeout", value: "SECONDS", defaultText: "600",
        help: "How long to wait for the browser to return, or for the code to be entered.")

    /// The options in the order of the help.
    static let all: [any ParameterDeclaring] = [
        browser, command, ephemeral, noBrowser, device, qrCode, noQRCode, provider, clientID, callback, timeout,
    ]

    /// Whether the person chose to sign in with the browser, of this machine or of another device.
    let isChosen: Bool
    /// Whether the person chose to sign in with a code on another device.
    let usesDevice: Bool
    /// The id of the identity provider. Nil when none was given.
    let provider: String?
    /// The client id at a server of OAuth. Nil when none was given.
    let clientID: String?
    private let opensNone: Bool
    private let isEphemeral: Bool
    private let showsQRCode: Bool?
    private let command: String?
    private let callback: CallbackMethod
    private let timeout: Duration
    private let timeoutIsGiven: Bool

    init(_ given: Invocation) throws(ArgumentError) {
        provider = given[Self.provider]
        clientID = given[Self.clientID]
        opensNone = given[Self.noBrowser]
        isEphemeral = given[Self.ephemeral]
        showsQRCode = given[Self.qrCode] ? true : given[Self.noQRCode] ? false : nil
        command = given[Self.command]
        callback = given[Self.callback]?.method ?? .automatic
        let seconds = given[Self.timeout] ?? 600
        guard (1...86_400).contains(seconds) else { throw given.usageError("--timeout takes 1 to 86400 seconds") }
        timeout = .seconds(seconds)
        timeoutIsGiven = given[Self.timeout] != nil
        usesDevice = given[Self.device]
        isChosen = given[Self.browser] || opensNone || isEphemeral || usesDevice || provider != nil || clientID != nil
        let opensOne = given[Self.browser] || opensNone || isEphemeral || provider != nil || given[Self.callback] != nil
        if usesDevice, opensOne {
            throw given.usageError("--device opens no browser here: leave out the options for one, and --provider")
        }
        if clientID?.isEmpty == true { throw given.usageError("--client-id takes a client id of the server") }
        if given[Self.browser], opensNone { throw given.usageError("--browser and --no-browser cannot be combined") }
        if isEphemeral, opensNone { throw given.usageError("--ephemeral and --no-browser cannot be combined") }
        if given[Self.qrCode], given[Self.noQRCode] { throw given.usageError("--qr and --no-qr cannot be combined") }
    }

    /// Returns a sign-in through a provider that prints its progress.
    func signIn(provider: String?, _ context: CommandContext) throws -> BrowserSignIn {
        let browser = try browser()
        var signIn = BrowserSignIn(provider: provider, callback: callback, browser: browser, timeout: timeout)
        signIn.clientID = clientID
        let printer = BrowserEventPrinter(context: context, opensNone: opensNone, showsQRCode: showsQRCode)
        signIn.onEvent = { printer.report($0) }
        if opensNone || context.prompter.isAvailable { signIn.promptForCallback = { try await Self.paste(context) } }
        return signIn
    }

    /// Returns a sign-in with a code on another device that prints the code.
    func deviceSignIn(_ context: CommandContext) -> DeviceSignIn {
        let timeout = timeoutIsGiven ? timeout : nil
        let printer = DeviceEventPrinter(context: context, showsQRCode: showsQRCode ?? true, timeout: timeout)
        return DeviceSignIn(clientID: clientID, timeout: timeout, onEvent: printer.report)
    }

    private func browser() throws -> Browser? {
        guard !opensNone else { return nil }
        // --ephemeral takes precedence over a command from the environment.
        guard !isEphemeral else { return .ephemeral }
        return try command.map { try .command($0) } ?? .automatic
    }

    /// Returns a link that the person pastes at the terminal. Without a terminal, reads a line of standard input.
    private static func paste(_ context: CommandContext) async throws -> String? {
        if let terminal = context.prompter.terminal { return try await terminal.ask("Link") }
        guard let line = try await StandardInput.line(), !line.isEmpty else { return nil }
        return line
    }
}

/// The words of `--callback`.
enum CallbackArgument: String, CaseIterable, ArgumentValue {
    case scheme
    case loopback

    var method: CallbackMethod { self == .scheme ? .scheme : .loopback }
}
