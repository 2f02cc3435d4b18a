import Primitives
import YAML

/// Reads a configuration from a file's bytes and the environment, and collects all mistakes.
///
/// The environment takes precedence over the file. An empty variable counts as unset. Unknown keys are mistakes, and so
/// are variables that begin with `LATCHD_` and match no key.
package struct ConfigurationReader: Sendable {
    /// The file's name in messages.
    private let name: String
    /// The folder where relative paths in the file start.
    private let folder: String
    private var configuration: DaemonConfiguration
    private var mistakes: [ConfigurationMistake] = []
    /// The position of each value that is not the default.
    private var origins: [String: ConfigurationOrigin] = [:]
    /// Keys whose values could not be read. Rules that involve them are not checked.
    private var unread: Set<String> = []

    /// All keys, in the order in which they are listed.
    private let allKeys: [ConfigurationKey]
    private let keys: [String: ConfigurationKey]
    /// The paths of the mappings that contain keys: `sessions`, `dialects.onyx`.
    private let sections: Set<String>

    private init(name: String, folder: String, defaultValue: DaemonConfiguration) {
        self.name = name
        self.folder = folder
        configuration = defaultValue
        allKeys = ConfigurationKey.all(for: defaultValue.settings.dialects)
        keys = Dictionary(uniqueKeysWithValues: allKeys.map { ($0.path, $0) })
        sections = Set(
            (allKeys.map(\.path) + ConfigurationFamily.all.map { $0.path + "." }).flatMap { path in
                let names = path.split(separator: ".", omittingEmptySubsequences: false)
                return (1..<names.count).map { names.prefix($0).joined(separator: ".") }
            })
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - file: The file's bytes; nil when there is none.
    ///   - name: The file's name in messages.
    ///   - folder: The folder where relative paths in the file start. Relative paths in the environment start at the
    ///     working directory.
    ///   - environment: All environment variables of the process.
    ///   - defaultValue: The configuration of values that neither the file nor the environment sets.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` with every mistake.
    package static func read(
        file: [UInt8]?, name: String = "", folder: String = "", environment: [String: String],
        defaultValue: DaemonConfiguration
    ) throws(ConfigurationError) -> DaemonConfiguration {
        var reader = ConfigurationReader(name: name, folder: folder, defaultValue: defaultValue)
        if let file { reader.read(file) }
        reader.read(environment)
        reader.configuration.resolve()
        reader.mistakes += reader.crossCheck()
        guard reader.mistakes.isEmpty else { throw ConfigurationError(mistakes: reader.mistakes) }
        return reader.configuration
    }

    private func crossCheck() -> [ConfigurationMistake] {
        contradictions()
            + (configuration.clientMistakes { unread.contains($0) }
            + configuration.providerMistakes { unread.contains($0) }
            + configuration.accessMistakes { unread.contains($0) }).map { mistake in
                ConfigurationMistake(
                    origin: origin(ofKeyAt: mistake.key), problem: mistake.problem, remedy: mistake.remedy)
            }
    }

    /// Returns the position of a key, or of the first key below or next to it if the key is not set.
    private func origin(ofKeyAt path: String) -> ConfigurationOrigin {
        if let origin = origins[path] { return origin }
        let section = path.split(separator: ".").dropLast().joined(separator: ".")
        let below = origins.filter { $0.key.hasPrefix(path + ".") }
        let beside = (below.isEmpty ? origins.filter { $0.key.hasPrefix(section + ".") } : below).map(\.value)
        return beside.min { $0.precedes($1) } ?? .defaultValue
    }

    private func contradictions() -> [ConfigurationMistake] {
        let rules =
            ConfigurationRule.general + configuration.settings.dialects.flatMap { type(of: $0).configurationRules }
        return rules.compactMap { rule in
            rule.isSatisfied(configuration) || !unread.isDisjoint(with: rule.keys)
                ? nil
                : ConfigurationMistake(
                    origin: rule.keys.lazy.compactMap { origins[$0] }.first ?? .defaultValue, problem: rule.problem,
                    remedy: rule.remedy)
        }
    }
}

extension ConfigurationReader {
    private mutating func read(_ file: [UInt8]) {
        do {
            let root = try YAML.parse(file)
            if !root.isNull { readSection(root, path: "") }
        } catch {
            report(
                at: .file(name, line: error.mark.line), problem: "column \(error.mark.column): \(error.problem)",
                remedy: "correct the line; the rest was not read")
        }
    }

    private mutating func readSection(_ node: YAMLNode, path: String) {
        guard let entries = node.entries else {
            let problem = path.isEmpty ? "the file is not a list of keys" : "\(path) is a section of keys"
            let remedy = "write 'key: value' lines\(path.isEmpty ? "" : " under it")"
            return report(at: origin(node.mark), problem: problem, remedy: remedy)
        }
        for entry in entries {
            let inner = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            if let key = key(at: inner) {
                readValue(entry, of: key)
            } else if Self.isNamed(inner), entry.value.isNull || entry.value.entries?.isEmpty == true {
                report(
                    at: origin(entry.mark), problem: "\(inner) has no keys", remedy: "add keys, or remove the line")
            } else if isSection(inner) {
                if !entry.value.isNull { readSection(entry.value, path: inner) }
            } else {
                reportUnknown(inner, at: origin(entry.mark))
            }
        }
    }

    private func key(at path: String) -> ConfigurationKey? {
        keys[path] ?? Self.familyKeys(at: path).first { $0.path == path }
    }

    /// Returns the keys for the name in a path. Empty when the path is not in a family.
    private static func familyKeys(at path: String) -> [ConfigurationKey] {
        ConfigurationFamily.all.flatMap { family in
            family.name(in: path).map { ConfigurationFamily.isName($0) ? family.keys(String($0)) : [] } ?? []
        }
    }

    private func isSection(_ path: String) -> Bool {
        sections.contains(path) || Self.isNamed(path)
    }

    /// Whether a path ends with a name that the configuration defines.
    private static func isNamed(_ path: String) -> Bool {
        ConfigurationFamily.all.contains { family in
            family.name(in: path).map { ConfigurationFamily.isName($0) && path == "\(family.path).\($0)" } ?? false
        }
    }

    private mutating func readValue(_ entry: YAMLEntry, of key: ConfigurationKey) {
        let origin = origin(entry.mark)
        if entry.value.isNull {
            return report(
                at: origin, problem: "\(key.path) has no value", remedy: "add a value, or remove the line")
        }
        let nodes = key.isList ? entry.value.items ?? [entry.value] : [entry.value]
        let texts = nodes.compactMap { node in node.text.map { (text: $0, origin: self.origin(node.mark)) } }
        // A list in the file may also be one text with commas, as in a variable.
        let isOneText = key.isList && entry.value.items == nil
        let words = texts.flatMap { text, origin in
            (isOneText ? Self.items(text) : [text]).map { ConfigurationKey.Word(text: $0, origin: origin) }
        }
        guard texts.count == nodes.count else {
            return report(
                at: origin, problem: "\(key.path) is not \(key.isList ? "a list of values" : "a single value")",
                remedy: key.defaultValue != "none"
                    ? "write it in the form of its default, \(key.defaultValue)"
                    : key.isList ? "write one value, or a list such as [first, second]" : "write one value")
        }
        if key.path == "listen", words.isEmpty {
            return report(
                at: origin, problem: "listen is an empty list", remedy: "add an address, or remove the line")
        }
        set(key, to: words, at: origin, folder: folder)
    }

    private mutating func reportUnknown(_ path: String, at origin: ConfigurationOrigin) {
        // What follows the colon may be a secret.
        if let colon = path.firstIndex(of: ":") {
            return report(
                at: origin, problem: "'\(path[..<colon])' has no space after its colon", remedy: "write 'key: value'")
        }
        for family in ConfigurationFamily.all {
            guard let name = family.name(in: path), !ConfigurationFamily.isName(name) else { continue }
            return report(
                at: origin,
                problem: "\(family.path) has the invalid name '\(String(name).displayName(limit: 60) ?? "")'",
                remedy: "use only \(ConfigurationFamily.nameForm)")
        }
        let known = allKeys.map(\.path) + Self.familyKeys(at: path).map(\.path) + sections.sorted()
        // What the keys of a section have in common does not indicate which of them was meant.
        let section = path[..<(path.lastIndex(of: ".") ?? path.startIndex)]
        let others = known.filter { $0[..<($0.lastIndex(of: ".") ?? $0.startIndex)] == section }
        let names = others.map { String($0.dropFirst(section.count + 1)) }
        guard !section.isEmpty, !names.isEmpty else {
            return report(
                at: origin, problem: "unknown key '\(path)'",
                remedy: Self.remedy(SpellingSuggestion.nearest(to: path, among: known)))
        }
        let near = SpellingSuggestion.nearest(to: String(path.dropFirst(section.count + 1)), among: names)
        report(
            at: origin, problem: "unknown key '\(path)'",
            remedy: near.map { "did you mean '\(section).\($0)'?" }
                ?? "remove it; the keys of \(section) are \(names.joined(separator: ", "))")
    }

    private func origin(_ mark: YAMLMark) -> ConfigurationOrigin {
        .file(name, line: mark.line)
    }
}

extension ConfigurationReader {
    /// The variable with the path of the file. It is not a key.
    static let fileVariable = "LATCHD_CONFIG"

    private mutating func read(_ environment: [String: String]) {
        let keys = Dictionary(uniqueKeysWithValues: allKeys.map { ($0.variable, $0) })
        let ours = environment.filter { $0.key.hasPrefix(ConfigurationKey.variablePrefix) && !$0.value.isEmpty }
        for (name, value) in ours.sorted(by: { $0.key < $1.key }) where name != Self.fileVariable {
            let origin = ConfigurationOrigin.variable(name)
            let family = ConfigurationFamily.all.lazy.compactMap { $0.key(of: name) }.first
            guard let key = keys[name] ?? family else {
                let near = nearestVariable(to: name)
                report(at: origin, problem: "no key corresponds to this variable", remedy: Self.remedy(near))
                continue
            }
            let texts = key.isList ? Self.items(value) : [value]
            let words = texts.map { ConfigurationKey.Word(text: $0, origin: origin) }
            set(key, to: words, at: origin, folder: "")
        }
    }

    /// Returns the items of a list that is written as one text.
    fileprivate static func items(_ text: String) -> [String] { text.split(separator: ",").map { trimmed($0) } }

    /// Returns the variable most similar to a name. The common prefix is ignored, because it does not indicate which
    /// variable was meant.
    private func nearestVariable(to name: String) -> String? {
        let prefix = ConfigurationKey.variablePrefix
        let families = ConfigurationFamily.all.flatMap { $0.variables(near: name) }
        let others = (allKeys.map(\.variable) + families).map { String($0.dropFirst(prefix.count)) }
        return SpellingSuggestion.nearest(to: String(name.dropFirst(prefix.count)), among: others).map { prefix + $0 }
    }

    private mutating func set(
        _ key: ConfigurationKey, to words: [ConfigurationKey.Word], at origin: ConfigurationOrigin, folder: String
    ) {
        let wrong = key.set(words, folder, &configuration)
        mistakes += wrong
        if wrong.isEmpty { origins[key.path] = origin } else { unread.insert(key.path) }
    }

    private mutating func report(at origin: ConfigurationOrigin, problem: String, remedy: String) {
        mistakes.append(ConfigurationMistake(origin: origin, problem: problem, remedy: remedy))
    }

    private static func remedy(_ near: String?) -> String {
        near.map { "did you mean '\($0)'?" } ?? "remove it; 'latchd check --keys' lists all keys"
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text).trimmed
    }
}
