import Desktop

/// The program that shows the person the server's sign-in.
///
/// It is never a view inside this program: the person sees the address, and their password goes to the provider alone.
///
/// Source: RFC 8252 §6 and §8.12.
public struct Browser: Sendable, Hashable {
    private let words: [String]
    /// How soon a command that only hands the address to a browser that runs already has ended; nil where its end never
    /// tells that the person closed the window.
    private let handOver: Duration?

    /// The browser that the person chose for the system: `xdg-open`, or `open` on Apple's.
    public static let system = Browser(words: [opener], handOver: nil)

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
        return Browser(words: words, handOver: handOver)
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

    /// Opens an address and waits for the program's end; nil when the wait was cancelled.
    func open(_ address: String) async -> End? {
        let start = ContinuousClock.now
        let program: DesktopProgram
        do {
            program = try DesktopProgram(arguments(address))
        } catch {
            return .failed(error.message)
        }
        guard let status = await program.status() else { return nil }
        guard status == 0 else { return .failed("'\(words[0])' ended with exit code \(status).") }
        guard let handOver, start.duration(to: .now) > handOver else { return .handedOver }
        return .closed
    }

    private func arguments(_ address: String) -> [String] {
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
