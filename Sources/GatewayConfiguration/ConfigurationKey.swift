import GatewayCore
import Primitives

/// A key of the configuration.
///
/// The table of ``all(for:)`` is the basis for reading the file and the environment, for checks, and for the list that
/// `latchd check --keys` prints.
package struct ConfigurationKey: Sendable {
    /// A value in text form, and where it is from.
    struct Word: Sendable {
        let text: String
        let origin: ConfigurationOrigin
    }

    /// The path of the key in the file, with components separated by dots: `sessions.lifetime`.
    package let path: String
    /// The meaning of the key, in one sentence.
    package let summary: String
    /// The default, as written in a file.
    package let defaultValue: String
    let isList: Bool
    /// Sets the value. Returns the mistakes in `words`.
    let set: @Sendable (_ words: [Word], _ folder: String, inout DaemonConfiguration) -> [ConfigurationMistake]

    /// The environment variable for the key, which takes precedence over the file: `LATCHD_SESSIONS_LIFETIME`.
    package var variable: String {
        Self.variablePrefix + path.uppercased().map { $0 == "." || $0 == "-" ? "_" : String($0) }.joined()
    }

    static let variablePrefix = "LATCHD_"

    /// Declares a key with one value.
    package init<Value: Sendable>(
        _ path: String, _ value: any WritableKeyPath<DaemonConfiguration, Value> & Sendable,
        as form: ConfigurationForm<Value>, summary: String, defaultValue: String? = nil
    ) {
        self.path = path
        self.summary = summary
        self.defaultValue = defaultValue ?? form.show(Self.defaults[keyPath: value])
        isList = false
        set = { words, folder, configuration in
            guard let word = words.first else { return [] }
            guard let read = form.read(word.text, folder) else {
                return [Self.refused(word, folder, at: path, as: form)]
            }
            configuration[keyPath: value] = read
            return []
        }
    }

    /// Declares a key with a list. The file contains a sequence or one value; the variable contains values separated by
    /// commas.
    package init<Element: Sendable>(
        list path: String, _ value: any WritableKeyPath<DaemonConfiguration, [Element]> & Sendable,
        of form: ConfigurationForm<Element>, summary: String, allowsNone: Bool = true,
        defaultValue shown: String? = nil
    ) {
        self.path = path
        self.summary = summary
        let defaultValue = Self.defaults[keyPath: value].map(form.show).joined(separator: ",")
        self.defaultValue = shown ?? (defaultValue.isEmpty ? "none" : defaultValue)
        isList = true
        set = { words, folder, configuration in
            let read = words.map { form.read($0.text, folder) }
            let mistakes = zip(words, read).filter { $1 == nil }.map { Self.refused($0.0, folder, at: path, as: form) }
            if mistakes.isEmpty, allowsNone || !words.isEmpty {
                configuration[keyPath: value] = read.compactMap { $0 }
            }
            return mistakes
        }
    }

    private static let defaults = DaemonConfiguration(stateFolder: "$XDG_STATE_HOME/latchd", dialects: [])

    /// Declares a setting of a client of the authorization server.
    init(_ setting: ClientSetting, ofClient name: String) {
        let path = "oauth.clients.\(name).\(setting.name)"
        self.path = path
        summary = setting.summary
        let defaultValue = setting.words(of: ClientSettings()).joined(separator: ",")
        self.defaultValue = defaultValue.isEmpty ? "none" : defaultValue
        isList = setting.isList
        set = { words, _, configuration in
            let words = setting.isList ? words : Array(words.prefix(1))
            let mistakes = words.compactMap { word -> ConfigurationMistake? in
                var scratch = ClientSettings()
                do throws(ClientSetting.Invalid) {
                    try setting.set([word.text], in: &scratch)
                    return nil
                } catch {
                    return Self.refused(word, at: path, nil, expected: error.expected)
                }
            }
            try? setting.set(words.map(\.text), in: &configuration.oauthClients[name].settings)
            return mistakes
        }
    }

    private static func refused<Value>(
        _ word: Word, _ folder: String, at path: String, as form: ConfigurationForm<Value>
    ) -> ConfigurationMistake {
        refused(word, at: path, form.fault(word.text, folder), expected: form.expected)
    }

    private static func refused(
        _ word: Word, at path: String, _ fault: (reason: String, remedy: String)?, expected: String
    ) -> ConfigurationMistake {
        let shown = withoutSecrets(word.text).displayName(limit: 60) ?? ""
        return ConfigurationMistake(
            origin: word.origin,
            problem: "\(path): '\(shown)' is not valid" + (fault.map { ": \($0.reason)" } ?? ""),
            remedy: fault?.remedy ?? "it must be \(expected)")
    }

    /// Returns a URL without its user, its password and its query, which must not appear in a message.
    private static func withoutSecrets(_ word: String) -> String {
        guard let start = word.schemeMark?.upperBound else { return word }
        let query = word[start...].utf8.firstIndex(of: UInt8(ascii: "?")) ?? word.endIndex
        let end = query == word.endIndex ? "" : "?…"
        guard let user = word[start...].utf8.lastIndex(of: UInt8(ascii: "@")) else { return word[..<query] + end }
        // A password may contain a question mark.
        return word[..<start] + "…" + (user < query ? word[user..<query] + end : "")
    }
}
