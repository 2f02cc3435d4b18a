import Desktop

/// The program that shows the server's sign-in to the person.
///
/// It is never a view inside this program. The person can see the address, and the password goes to the provider only.
///
/// Source: RFC 8252 §6 and §8.12.
public struct Browser: Sendable, Hashable {
    private enum Kind: Hashable {
        case automatic
        case ephemeral
        /// A command. One that ends within `handOver` only passed the address to a running browser. One that runs
        /// longer is the browser itself, and its successful end means that the person closed it. Nil when the end of
        /// the command does not say whether the window was closed.
        case command([String], handOver: Duration?)
        /// A presenter of the program, and whether its page must not share cookies with the person's own browser.
        case presenter(Presenter, isEphemeral: Bool)
    }

    /// A presenter. Two are equal when they are the same object.
    private final class Presenter: Hashable, Sendable {
        let presenter: any BrowserPresenting

        init(_ presenter: any BrowserPresenting) { self.presenter = presenter }

        static func == (one: Presenter, other: Presenter) -> Bool { one === other }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let kind: Kind

    /// The browser that suits the server's family: ``ephemeral`` or ``system``.
    public static let automatic = Browser(kind: .automatic)

    /// The default browser of the system.
    public static let system = Browser(kind: .command([DesktopProgram.opener], handOver: nil))

    /// Chromium or Firefox, whichever is installed, with a new profile that is removed afterwards. It shares no cookies
    /// with the person's own browser and is closed when the sign-in is done.
    ///
    /// Source: TT-2.
    public static let ephemeral = Browser(kind: .ephemeral)

    /// Returns a browser that is opened with a command of the person's choice.
    ///
    /// - Parameters:
    ///   - text: The command and its arguments, with quotes around those that contain a space. The address replaces
    ///     `%s`, or follows as the last argument.
    ///   - handOver: The time after which a successful exit of the command means that the browser was closed. An
    ///     earlier exit means that the command passed the address to a running browser.
    /// - Returns: The browser. Nothing is started yet.
    /// - Throws: ``LatchError/Code/invalidRequest`` when the command is empty or a quote is not closed.
    public static func command(_ text: String, handOver: Duration = .seconds(5)) throws(LatchError) -> Browser {
        guard let words = CommandWords.split(text), !words.isEmpty else {
            throw LatchError(
                .invalidRequest,
                "The browser's command is empty or a quote in it is not closed: write it as in a shell.")
        }
        return Browser(kind: .command(words, handOver: handOver))
    }

    /// Returns a browser that the program itself shows. The presenter is told when the server's family needs a page
    /// without the person's cookies, as with ``ephemeral``.
    public static func presenter(_ presenter: any BrowserPresenting) -> Browser {
        Browser(kind: .presenter(Presenter(presenter), isEphemeral: false))
    }

    /// Whether the program itself shows the page.
    package var isPresenter: Bool { if case .presenter = kind { true } else { false } }

    /// How the program of a browser ended.
    enum End: Sendable, Equatable {
        /// The address was passed to a browser that continues to run, so nothing is known about its window.
        case handedOver
        /// The browser was closed.
        case closed
        /// The browser could not show the address. The sentence says why.
        case failed(String)
        /// The presenter received this callback address.
        case returned(String)
    }

    /// Returns the browser to open for a family of servers.
    ///
    /// The person's own browser, with its cookies, never replaces an ephemeral one unless the person chooses it
    /// explicitly.
    ///
    /// - Throws: ``LatchError/Code/browserMissing`` when an ``ephemeral`` browser is needed and none is installed.
    ///
    /// Source: TT-2.
    func chosen(for dialect: any BrowserDialect) throws(LatchError) -> Browser {
        if case .presenter(let presenter, _) = kind {
            return Browser(kind: .presenter(presenter, isEphemeral: dialect.wantsEphemeralBrowser))
        }
        let isEphemeral = self == .ephemeral || self == .automatic && dialect.wantsEphemeralBrowser
        guard isEphemeral else { return self == .automatic ? .system : self }
        guard PrivateBrowser.find() != nil else {
            throw LatchError(
                .browserMissing,
                "There is no browser that can be opened with a separate profile, without your cookies. Install "
                    + "Chromium or Firefox, specify a browser's command, or open the address manually.")
        }
        return .ephemeral
    }

    /// Opens an address and waits until the program ends.
    ///
    /// - Parameters:
    ///   - address: The address to open.
    ///   - callback: The redirect address at which the sign-in ends.
    ///   - profiles: The folder for the profile of an ephemeral browser.
    /// - Returns: How the program ended. Nil when the wait was cancelled.
    func open(_ address: String, callback: String, profiles: String) async -> End? {
        switch kind {
        case .command(let words, let handOver): await Self.run(words, with: address, handOver: handOver)
        case .presenter(let presenter, let isEphemeral):
            await Self.present(address, callback: callback, isEphemeral: isEphemeral, with: presenter.presenter)
        case .automatic, .ephemeral: await openEphemeral(address, profiles)
        }
    }

    private static func present(
        _ address: String, callback: String, isEphemeral: Bool, with presenter: any BrowserPresenting
    ) async -> End? {
        // A presenter that ignores the cancellation does not hold up the sign-in.
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        let task = Task {
            continuation.yield(await end(of: presenter, at: address, callback: callback, isEphemeral: isEphemeral))
            continuation.finish()
        }
        defer { task.cancel() }
        for await end in ends { return end }
        return nil
    }

    private static func end(
        of presenter: any BrowserPresenting, at address: String, callback: String, isEphemeral: Bool
    ) async -> End {
        do {
            let link = try await presenter.present(address, callback: callback, isEphemeral: isEphemeral)
            guard let link else { return .handedOver }
            return .returned(link)
        } catch is CancellationError {
            return .closed
        } catch let error as LatchError {
            return error.code == .browserClosed ? .closed : .failed(error.message)
        } catch {
            return .failed("The page could not be shown: \(error).")
        }
    }

    private static func run(_ words: [String], with address: String, handOver: Duration?) async -> End? {
        let start = ContinuousClock.now
        let program: DesktopProgram
        do {
            program = try DesktopProgram(arguments(words, address))
        } catch {
            return .failed(error.message)
        }
        guard let status = await program.status() else { return nil }
        guard status == 0 else { return .failed("'\(words[0])' ended with exit code \(status).") }
        guard let handOver, start.duration(to: .now) > handOver else { return .handedOver }
        return .closed
    }

    /// The time within which a nonzero exit means that the browser could not open a window.
    private static let failure = Duration.seconds(3)

    private func openEphemeral(_ address: String, _ profiles: String) async -> End? {
        let start = ContinuousClock.now
        let browser: PrivateBrowser
        do {
            browser = try PrivateBrowser(address, profilesIn: profiles)
        } catch {
            return .failed(error.message)
        }
        let status = await browser.status()
        let time = start.duration(to: .now)
        await browser.close()
        guard let status else { return nil }
        guard status != 0, time < Self.failure else { return .closed }
        return .failed("'\(browser.name)' ended with exit code \(status).")
    }

    private static func arguments(_ words: [String], _ address: String) -> [String] {
        guard words.dropFirst().contains(where: { $0.contains("%s") }) else { return words + [address] }
        return [words[0]] + words.dropFirst().map { $0.replacing("%s", with: address) }
    }
}

extension LatchClient {
    /// Opens the page of a browser sign-in once more, and waits until the browser ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - address: The address of the page, from ``BrowserSignIn/Event/waiting(address:_:)``.
    ///   - browser: The browser of the sign-in.
    ///   - server: The server of the sign-in.
    /// - Returns: Why the page could not be opened, as a sentence. Nil otherwise.
    package func reopen(_ address: String, in browser: Browser, for server: Server) async -> String? {
        guard let dialect = server.dialect as? any BrowserDialect else { return nil }
        do {
            let browser = try browser.chosen(for: dialect)
            let end = await browser.open(address, callback: dialect.callback, profiles: folders.browsers)
            guard case .failed(let reason) = end else { return nil }
            return reason
        } catch {
            return error.message
        }
    }
}

/// Splits a command into words as a shell does, without expansions.
enum CommandWords {
    /// Returns the words. Nil when a quote is not closed.
    static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
