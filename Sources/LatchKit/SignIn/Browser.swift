import Desktop

/// The program that shows the person the server's sign-in.
///
/// It is never a view inside this program: the person sees the address, and their password goes to the provider alone.
///
/// Source: RFC 8252 §6 and §8.12.
public struct Browser: Sendable, Hashable {
    private enum Kind: Hashable {
        case automatic
        case ephemeral
        /// How soon a command that only hands the address to a browser that runs already has ended; nil where its end never
        /// tells that the person closed the window.
        case command([String], handOver: Duration?)
    }

    private let kind: Kind

    /// As the server's family wants it: ``ephemeral`` or ``system``.
    public static let automatic = Browser(kind: .automatic)

    /// The browser that the person chose for the system: `xdg-open`, or `open` on Apple's.
    public static let system = Browser(kind: .command([opener], handOver: nil))

    /// Chromium or Firefox, whichever is installed, with a profile that is new and is removed afterwards: no cookie is shared
    /// with the person's own browser. It is closed when the sign-in is done.
    ///
    /// Source: TT-2.
    public static let ephemeral = Browser(kind: .ephemeral)

    /// A command of the person's choice.
    ///
    /// - Parameters:
    ///   - text: The command and its arguments, with quotes where one holds a space. The address takes the place of `%s`,
    ///     or follows as the last argument.
    ///   - handOver: A command that runs for longer and ends well is a browser that was closed.
    /// - Returns: The browser; nothing is started yet.
    /// - Throws: ``LatchError/Code/invalidRequest`` when it is empty or a quote is not closed.
    public static func command(_ text: String, handOver: Duration = .seconds(5)) throws(LatchError) -> Browser {
        guard let words = CommandWords.split(text), !words.isEmpty else {
            throw LatchError(
                .invalidRequest,
                "The browser's command is empty or a quote in it is not closed: write it as in a shell.")
        }
        return Browser(kind: .command(words, handOver: handOver))
    }

    /// How a browser's program ended.
    enum End: Sendable, Equatable {
        /// Nothing is known: the address was handed to a browser that runs on.
        case handedOver
        /// It was closed.
        case closed
        /// It could not show the address; the sentence says why.
        case failed(String)
    }

    /// The browser to open for a family of servers.
    ///
    /// The person's own browser, with its cookies, never replaces an ephemeral one, unless they name it themselves.
    ///
    /// - Throws: ``LatchError/Code/browserMissing`` when an ``ephemeral`` browser is needed and none is installed.
    ///
    /// Source: TT-2.
    func chosen(for dialect: any BrowserDialect) throws(LatchError) -> Browser {
        let isEphemeral = self == .ephemeral || self == .automatic && dialect.wantsEphemeralBrowser
        guard isEphemeral else { return self == .automatic ? .system : self }
        guard PrivateBrowser.find() != nil else {
            throw LatchError(
                .browserMissing,
                "There is no browser that can be opened with a profile of its own, without the cookies of yours. Install "
                    + "Chromium or Firefox, name a browser's command yourself, or open the address by hand.")
        }
        return .ephemeral
    }

    /// Opens an address and waits for the program's end.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - profiles: Where a browser of its own has its profile.
    /// - Returns: How it ended; nil when the wait was cancelled.
    func open(_ address: String, profiles: String) async -> End? {
        guard case .command(let words, let handOver) = kind else { return await openEphemeral(address, profiles) }
        let start = ContinuousClock.now
        let program: DesktopProgram
        do {
            program = try DesktopProgram(Self.arguments(words, address))
        } catch {
            return .failed(error.message)
        }
        guard let status = await program.status() else { return nil }
        guard status == 0 else { return .failed("'\(words[0])' ended with exit code \(status).") }
        guard let handOver, start.duration(to: .now) > handOver else { return .handedOver }
        return .closed
    }

    /// How soon a browser that cannot show itself has ended.
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

    private static var opener: String {
        #if os(Linux)
            "xdg-open"
        #else
            "open"
        #endif
    }
}

/// Splits a command as a shell does, without anything that a shell would put in its place.
enum CommandWords {
    /// The words; nil when a quote is not closed.
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
