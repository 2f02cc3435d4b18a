/// A group of keys for each name that the configuration defines: `introspection.clients.ID.secret` for every `ID`.
struct ConfigurationFamily: Sendable {
    /// The path before the name: `introspection.clients`.
    let path: String
    /// Returns the keys for one name.
    let keys: @Sendable (_ name: String) -> [ConfigurationKey]

    static let all = [providers, introspectionClients, oauthClients, access]

    /// The placeholder for the name in lists of keys.
    static let placeholder = "ID"
    /// A description of valid names. In environment variables, names have capital letters, and `_` instead of `-`.
    static let nameForm = "lower-case letters, digits and hyphens, at most 32 characters"

    static func isName(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns the name in a path of the file, which may have further components. Nil when the path is not in this
    /// family.
    func name(in path: String) -> Substring? {
        guard path.hasPrefix(self.path + ".") else { return nil }
        return path.dropFirst(self.path.utf8.count + 1).prefix { $0 != "." }
    }

    /// Returns the key of an environment variable. Nil when the variable does not belong to this family.
    func key(of variable: String) -> ConfigurationKey? {
        let keys = keys(Self.placeholder).sorted { $0.variable.utf8.count > $1.variable.utf8.count }
        for key in keys {
            let parts = key.variable.split(separator: "_" + Self.placeholder + "_")
            guard parts.count == 2, variable.hasPrefix(parts[0] + "_"), variable.hasSuffix("_" + parts[1]) else {
                continue
            }
            let name = variable.dropFirst(parts[0].count + 1).dropLast(parts[1].count + 1)
            let plain = name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined()
            guard name == name.uppercased(), Self.isName(plain) else { continue }
            return self.keys(plain).first { $0.leaf == key.leaf }
        }
        return nil
    }

    /// Returns the variables of this family that a misspelled variable may stand for. The name in it may end at any
    /// `_`.
    func variables(near variable: String) -> [String] {
        let prefix =
            ConfigurationKey.variablePrefix + path.uppercased().map { $0 == "." ? "_" : String($0) }.joined() + "_"
        guard variable.hasPrefix(prefix) else { return [] }
        let words = variable.dropFirst(prefix.count).lowercased().split(separator: "_")
        return (1..<max(2, words.count)).flatMap { count in
            let name = words.prefix(count).joined(separator: "-")
            return Self.isName(name) ? keys(name).map(\.variable) : []
        }
    }
}

extension ConfigurationKey {
    /// The last component of the path.
    package var leaf: Substring { path.split(separator: ".").last ?? "" }
}

/// The values of the objects that a configuration names, while the configuration is read. An object without values
/// equals `blank`.
package struct NamedDrafts<Draft: Sendable>: Sendable {
    private let blank: Draft
    /// The objects, in the order in which their names first occurred.
    private(set) var all: [(name: String, draft: Draft)] = []

    init(blank: Draft) {
        self.blank = blank
    }

    subscript(name: String) -> Draft {
        get { all.first { $0.name == name }?.draft ?? blank }
        set {
            guard let index = all.firstIndex(where: { $0.name == name }) else { return all.append((name, newValue)) }
            all[index].draft = newValue
        }
    }
}
