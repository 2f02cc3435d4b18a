import Arguments
import GatewayConfiguration
import GatewayCore
import Primitives

/// The options of `latchd clients` for the settings of a client: one for each ``ClientSetting``.
struct ClientSettingOptions: Sendable {
    private let single: [(setting: ClientSetting, option: Option<String>)]
    private let lists: [(setting: ClientSetting, option: OptionList<String>)]

    init() {
        let all = ClientSetting.all
        single = all.filter { !$0.isList }.map {
            ($0, Option<String>($0.option, value: $0.placeholder, help: $0.summary))
        }
        lists = all.filter(\.isList).map {
            ($0, OptionList<String>($0.option, value: $0.placeholder, help: $0.summary))
        }
    }

    /// The options, in the order of the settings.
    var arguments: [any ParameterDeclaring] {
        ClientSetting.all.compactMap { setting in
            let option: (any ParameterDeclaring)? = single.first { $0.setting.name == setting.name }?.option
            return option ?? lists.first { $0.setting.name == setting.name }?.option
        }
    }

    /// Returns the settings that were given, each with its words.
    func changes(in given: Invocation) throws(ArgumentError) -> [ClientSettingChange] {
        let values = single.compactMap { setting, option in given[option].map { (setting, [$0]) } }
        let elements = lists.map { ($0.setting, given[$0.option]) }.filter { !$0.1.isEmpty }
        var changes: [ClientSettingChange] = []
        for (setting, words) in values + elements {
            var scratch = ClientSettings()
            do throws(ClientSetting.Invalid) {
                try setting.set(words, in: &scratch)
            } catch {
                throw given.usageError(
                    "--\(setting.option) '\(error.word.printable)' is not valid: it must be \(error.expected)")
            }
            changes.append(ClientSettingChange(setting: setting, words: words))
        }
        return changes
    }
}

/// A setting of a client, and what it becomes.
struct ClientSettingChange: Sendable {
    let setting: ClientSetting
    /// The new words. Nil for the default.
    let words: [String]?

    /// Makes the change.
    func apply(to settings: inout ClientSettings) throws(ClientSetting.Invalid) {
        if let words { try setting.set(words, in: &settings) } else { setting.reset(in: &settings) }
    }
}

extension ClientSettings {
    /// Makes changes, and checks that the settings do not contradict each other or those of the server.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - server: The settings of the server.
    ///   - isConfidential: Whether the client authenticates, with a secret or with keys.
    /// - Throws: ``Failure``.
    mutating func apply(
        _ changes: [ClientSettingChange], in server: GatewaySettings, isConfidential: Bool
    ) throws {
        for change in changes { try change.apply(to: &self) }
        guard let problem = problems(in: server, isConfidential: isConfidential).first else { return }
        throw Failure(.badInput, "Could not change the settings: \(problem.problem.printable); \(problem.remedy).")
    }
}
