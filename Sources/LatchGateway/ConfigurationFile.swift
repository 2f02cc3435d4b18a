import FoundationEssentials
package import GatewayConfiguration
import GatewayCore

/// Finds the configuration file and reads the configuration from it and the environment.
package struct ConfigurationFile: Sendable {
    /// The configuration.
    package let configuration: DaemonConfiguration
    /// The path of the file. Nil when there is none.
    package let path: String?
    /// Warnings about values that are valid but questionable, one sentence each.
    package let warnings: [String]

    /// Reads the configuration.
    ///
    /// The file is `path`. If `path` is nil, it is `latchd/latchd.yaml` in `$XDG_CONFIG_HOME` (`~/.config`), or
    /// `/etc/latchd/latchd.yaml` if that does not exist. Without any file, the defaults and the environment apply.
    ///
    /// - Parameters:
    ///   - path: The path given by the user. The file must exist.
    ///   - environment: All environment variables of the process.
    /// - Throws: ``ConfigurationError`` with code ``ConfigurationError/Code/noFile`` when the file cannot be read,
    ///   otherwise with every mistake.
    ///
    /// Source: XDG Base Directory Specification 0.8 §3.
    package init(path: String?, environment: [String: String]) throws(ConfigurationError) {
        let found = path ?? Self.usualPlaces(environment).first { FileManager.default.fileExists(atPath: $0) }
        let bytes = try found.map { path throws(ConfigurationError) in try Self.bytes(of: path) }
        let name = found ?? ""
        self.path = found
        let configuration = try ConfigurationReader.read(
            file: bytes, name: name, folder: Self.folder(of: name), environment: environment,
            defaultValue: DaemonConfiguration(stateFolder: Self.stateFolder(environment)))
        self.configuration = configuration
        self.warnings =
            [found.flatMap(Self.warning), configuration.settings.database.path.flatMap(Self.relativeDatabase)]
            .compactMap(\.self)
            + configuration.settings.warnings
    }

    /// Returns a warning for a relative path, because it means another database in another working directory.
    private static func relativeDatabase(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return nil }
        let whole = "\(FileManager.default.currentDirectoryPath)/\(path)"
        return
            "The database '\(path)' is a relative path, which means '\(whole)' only if latchd starts in this folder; "
            + "use an absolute path."
    }

    private static func usualPlaces(_ environment: [String: String]) -> [String] {
        [folder("XDG_CONFIG_HOME", orHome: ".config", environment) + "/latchd/latchd.yaml", "/etc/latchd/latchd.yaml"]
    }

    private static func stateFolder(_ environment: [String: String]) -> String {
        folder("XDG_STATE_HOME", orHome: ".local/state", environment) + "/latchd"
    }

    /// Returns a base folder. The specification requires that relative paths are ignored.
    private static func folder(_ variable: String, orHome path: String, _ environment: [String: String]) -> String {
        if let folder = environment[variable], folder.hasPrefix("/") { return folder }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser.path) + "/" + path
    }

    /// Reads a file, which must be a regular one, because reading a pipe or a device might never end.
    private static func bytes(of path: String) throws(ConfigurationError) -> [UInt8] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ConfigurationError(noFile: "Could not read the configuration '\(path)': there is no such file.")
        }
        let type = try? FileManager.default.attributesOfItem(atPath: resolved(path))[.type] as? FileAttributeType
        guard !isFolder, type == .typeRegular else {
            throw ConfigurationError(noFile: "Could not read the configuration '\(path)': it is not a regular file.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                noFile: "Could not read the configuration '\(path)': make it readable for the user that runs latchd.")
        }
        return [UInt8](data)
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    private static func folder(of path: String) -> String {
        path.isEmpty ? "" : URL(filePath: path).deletingLastPathComponent().path
    }

    private static func warning(_ path: String) -> String? {
        guard FilePermissions(path: resolved(path))?.allow(0o022) == true else { return nil }
        return "Users other than its owner can write to the configuration '\(path)'; run: chmod go-w '\(path)'."
    }
}
