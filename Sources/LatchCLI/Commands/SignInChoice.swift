import LatchKit
import Primitives
import Terminal

/// A way to sign in, like a button on the server's sign-in page.
enum SignInOption: Equatable {
    /// With e-mail and password. The address is nil until the person gives it.
    case password(email: EmailAddress?)
    /// With the browser, through this provider of the server. Nil leaves the choice to the server.
    case browser(provider: String?)
    /// With a code that the person enters on another device.
    case device
    /// With a key that the person created at the server.
    case key
}

/// Determines the way to sign in, from the command line, the features of the server and the person's choice.
struct SignInChoice {
    /// The way that the command line asks for.
    enum Preference { case password, browser(provider: String?), device, key, none }

    let features: ServerFeatures
    let address: ServerAddress

    /// The ways to sign in, in the order of the server. A key is offered only when it is the only way; otherwise the
    /// person has to ask for it.
    var ways: [(title: String, way: SignInOption)] {
        var ways: [(title: String, way: SignInOption)] = []
        if features.signsInWithPassword { ways.append(("E-mail and password", .password(email: nil))) }
        guard features.signsInWithBrowser else {
            return ways.isEmpty && features.signsInWithKey ? [("With a key", .key)] : ways
        }
        if features.providers.isEmpty {
            let title = features.browserTitle.map { "\($0.printable), in the browser" } ?? "In the browser"
            return ways + [(title, .browser(provider: nil))]
        }
        return ways + features.providers.map { ("\($0.title.printable), in the browser", .browser(provider: $0.id)) }
    }

    /// Decides on a way. Asks the person when several ways are left.
    ///
    /// - Throws: ``LatchError`` when the server does not have the way, or when there are several and no terminal.
    func decide(_ preference: Preference, _ context: CommandContext) async throws -> SignInOption {
        switch preference {
        case .password:
            guard features.signsInWithPassword else {
                throw LatchError(
                    .passwordLoginDisabled,
                    "Login failed: \(address) does not support sign-in with a password. \(otherWay)")
            }
            return .password(email: nil)
        case .device: return .device
        case .key: return .key
        case .browser(let provider?): return .browser(provider: provider)
        case .browser(nil):
            return try await choose(
                ways.filter { $0.way != .password(email: nil) }, context, orElse: .browser(provider: nil))
        case .none:
            let password = features.signsInWithPassword && !context.prompter.isAvailable
            return password
                ? .password(email: nil) : try await choose(ways, context, orElse: .password(email: nil))
        }
    }

    /// A sentence about the ways to sign in without a password.
    private var otherWay: String {
        if features.signsInWithBrowser { return "Sign in with the browser: --browser." }
        return features.signsInWithKey ? "Sign in with a key: --key." : "Use another sign-in method."
    }

    private func choose(
        _ ways: [(title: String, way: SignInOption)], _ context: CommandContext, orElse fallback: SignInOption
    ) async throws -> SignInOption {
        guard ways.count > 1 else { return ways.first?.way ?? fallback }
        context.console.printMessage("\(address) supports these ways to sign in:")
        for (number, way) in ways.enumerated() { context.console.printMessage("  \(number + 1)  \(way.title)") }
        let takesEmail = ways.contains { $0.way == .password(email: nil) }
        while true {
            let names = features.providers.map(\.id.printable).joined(separator: "|")
            let answer = try await context.prompter.ask(
                takesEmail ? "Number, or your e-mail address" : "Number", suggestion: "1",
                instead: "Choose: --provider \(names)")
            if let number = Int(answer), ways.indices.contains(number - 1) { return ways[number - 1].way }
            if takesEmail, let email = try? EmailAddress(typed: answer) { return .password(email: email) }
            context.console.printMessage(
                "Enter a number from 1 to \(ways.count)\(takesEmail ? ", or the e-mail address to sign in with" : "").")
        }
    }
}
