import Primitives

/// One thing that a configuration can say.
///
/// The table ``all`` drives everything: reading the file and the environment, checking, and the list that
/// `latchd check --keys` prints.
public struct ConfigurationKey: Sendable {
    /// A word and where it was said.
    struct Word: Sendable {
        let text: String
        let origin: ConfigurationOrigin
    }

    /// The path through the file's mappings, parted by dots: `sessions.lifetime`.
    public let path: String
    /// What it does, one sentence.
    public let summary: String
    /// The default, as a file would say it.
    public let defaultValue: String
    let isList: Bool
    /// Sets the value; tells what is wrong with which word.
    let set: @Sendable (_ words: [Word], _ folder: String, inout GatewayConfiguration) -> [ConfigurationMistake]

    /// The environment variable that says the same and wins over the file: `LATCHD_SESSIONS_LIFETIME`.
    public var variable: String {
        Self.variablePrefix + path.uppercased().map { $0 == "." || $0 == "-" ? "_" : String($0) }.joined()
    }

    static let variablePrefix = "LATCHD_"

    /// Declares a key with one value.
    init<Value: Sendable>(
        _ path: String, _ value: any WritableKeyPath<GatewayConfiguration, Value> & Sendable,
        _ form: ConfigurationForm<Value>, _ summary: String, defaultValue: String? = nil
    ) {
        self.path = path
        self.summary = summary
        self.defaultValue = defaultValue ?? form.show(Self.defaults[keyPath: value])
        isList = false
        set = { words, folder, configuration in
            guard let word = words.first else { return [] }
            guard let read = form.read(word.text, folder) else { return [Self.refused(word, path, form.expected)] }
            configuration[keyPath: value] = read
            return []
        }
    }

    /// Declares a key with a list: a sequence or one value in the file, values parted by commas in the environment.
    init<Element: Sendable>(
        list path: String, _ value: any WritableKeyPath<GatewayConfiguration, [Element]> & Sendable,
        of form: ConfigurationForm<Element>, _ summary: String, allowsNone: Bool = true,
        defaultValue shown: String? = nil
    ) {
        self.path = path
        self.summary = summary
        let defaultValue = Self.defaults[keyPath: value].map(form.show).joined(separator: ",")
        self.defaultValue = shown ?? (defaultValue.isEmpty ? "none" : defaultValue)
        isList = true
        set = { words, folder, configuration in
            let read = words.map { form.read($0.text, folder) }
            let mistakes = zip(words, read).filter { $1 == nil }.map { Self.refused($0.0, path, form.expected) }
            if mistakes.isEmpty, allowsNone || !words.isEmpty {
                configuration[keyPath: value] = read.compactMap { $0 }
            }
            return mistakes
        }
    }

    private static let defaults = GatewayConfiguration(stateFolder: "$XDG_STATE_HOME/latchd")

    private static func refused(_ word: Word, _ path: String, _ expected: String) -> ConfigurationMistake {
        ConfigurationMistake(
            origin: word.origin,
            problem: "\(path): '\(withoutUser(word.text).displayName(limit: 60) ?? "")' cannot be read",
            remedy: "it must be \(expected)")
    }

    /// A URL without its user and password, which must not appear in a message.
    private static func withoutUser(_ word: String) -> String {
        guard let start = word.firstRange(of: "://")?.upperBound, let end = word.lastIndex(of: "@"), start < end else {
            return word
        }
        return word[..<start] + "…" + word[end...]
    }
}
