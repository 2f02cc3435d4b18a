/// Keys below a name that the configuration chooses itself: `introspection.clients.ID.secret` for every `ID`.
struct ConfigurationFamily: Sendable {
    /// What stands before the name: `introspection.clients`.
    let path: String
    /// The keys of one name.
    let keys: @Sendable (_ name: String) -> [ConfigurationKey]

    static let all = [providers, introspectionClients, access]

    /// What stands for the name where keys are listed.
    static let placeholder = "ID"
    /// What a name may be; the environment has capitals and `_` for it.
    static let nameForm = "lower-case letters, digits and hyphens, 32 at most"

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

    /// The name in a path of the file, which may go on behind it; nil when the path is not below this family.
    func name(in path: String) -> Substring? {
        guard path.hasPrefix(self.path + ".") else { return nil }
        return path.dropFirst(self.path.utf8.count + 1).prefix { $0 != "." }
    }

    /// The key of a variable; nil when it is none of this family's.
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

    /// Variables of this family that a mistyped one may have been meant for: its name may end at any `_`.
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
    /// The last name of the path.
    var leaf: Substring { path.split(separator: ".").last ?? "" }
}

/// What a configuration says about things that it names itself, while it is read; blank before anything was said.
struct NamedDrafts<Draft: Sendable>: Sendable {
    private let blank: Draft
    /// In the order in which they were named first.
    private(set) var all: [(name: String, draft: Draft)] = []

    init(blank: Draft) {
        self.blank = blank
    }

    subscript(name: String) -> Draft {
        get { all.first { $0.name == name }?.draft ?? blank }
        set {
            guard let place = all.firstIndex(where: { $0.name == name }) else { return all.append((name, newValue)) }
            all[place].draft = newValue
        }
    }
}
