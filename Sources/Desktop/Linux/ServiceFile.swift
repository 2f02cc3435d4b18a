import CProcess
import FoundationEssentials
import Primitives

/// The unit file of a systemd user service. The user's systemd instance restarts the service after a crash, and starts
/// it whenever the instance itself starts: when the user signs in, or when the machine starts if lingering is enabled.
///
/// Source: systemd.unit(5), user unit search path; systemd.service(5); systemd.syntax(7).
package struct ServiceFile: Sendable {
    /// The name of the unit, with its ending `.service`.
    package let name: String
    /// The path of the unit file. Nil when neither `XDG_CONFIG_HOME` nor `HOME` is set.
    package let path: String?
    /// The symbolic link that makes systemd start the service with `default.target`.
    private let link: String?

    /// Describes a service, whose unit file need not exist.
    ///
    /// - Parameters:
    ///   - name: The name of the unit, without its ending.
    ///   - environment: The variables that locate the user's configuration: `XDG_CONFIG_HOME` and `HOME`.
    package init(_ name: String, environment: [String: String]) {
        self.name = name + ".service"
        let folder = UserFolder.configuration.path(environment)
        path = folder.map { "\($0)/systemd/user/\(name).service" }
        link = folder.map { "\($0)/systemd/user/default.target.wants/\(name).service" }
    }

    /// Whether the unit file exists.
    package var exists: Bool { path.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// Writes the unit file, readable by this user only, and enables the service.
    ///
    /// - Parameters:
    ///   - words: The path of the program and its arguments. They must not contain secrets, because others can ask
    ///     systemd for them.
    ///   - description: The description of the unit, for people.
    ///   - environment: The variables that the program gets in addition to those of systemd. They must not contain
    ///     secrets.
    ///   - log: The file to which the program's output is appended.
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    func write(
        _ words: [String], description: String, environment: [String: String], log: String
    ) throws(DesktopError) {
        guard let path, let link else {
            throw DesktopError(.cannotWrite, "Could not find the folder for services: HOME is not set.")
        }
        let variables = environment.sorted { $0.key < $1.key }.map {
            "Environment=" + Self.quoted("\($0.key)=\($0.value)")
        }
        let mask = String(latch_file_mask(), radix: 8)
        let text = """
            [Unit]
            Description=\(Self.escaped(description))

            [Service]
            Type=exec
            # After a signal, not after an error status: the same error would occur again.
            Restart=on-abnormal
            # The default mask of systemd may differ from that of the user's session.
            UMask=\(String(repeating: "0", count: max(0, 4 - mask.count)))\(mask)
            StandardOutput=append:\(Self.escaped(log))
            StandardError=append:\(Self.escaped(log))
            \(variables.joined(separator: "\n"))
            ExecStart=\(Self.command(words))

            [Install]
            WantedBy=default.target

            """
        try ReplacedFile(path).write(text)
        do {
            let wanted = URL(fileURLWithPath: link)
            try FileManager.default.createDirectory(
                at: wanted.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? FileManager.default.removeItem(at: wanted)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        } catch {
            throw DesktopError(.cannotWrite, "Could not write '\(link)'. Check that you own its folder.")
        }
    }

    /// Removes the unit file and its link, if they exist. A running service is not stopped.
    package func remove() {
        if let link { try? FileManager.default.removeItem(atPath: link) }
        if let path { ReplacedFile(path).remove() }
    }

    /// Returns a command line for `ExecStart`. `$` is doubled in the arguments, where it would start a variable.
    private static func command(_ words: [String]) -> String {
        let arguments = words.dropFirst().map { quoted($0.replacingBytes(of: "$", with: "$$")) }
        return (words.prefix(1).map(quoted) + arguments).joined(separator: " ")
    }

    /// Returns the text in double quotes, with escape sequences.
    ///
    /// Source: systemd.syntax(7), "Quoting"; systemd.unit(5), "Specifiers".
    private static func quoted(_ text: String) -> String {
        let text = escaped(text.replacingBytes(of: "\\", with: "\\\\").replacingBytes(of: "\"", with: "\\\""))
        return "\"\(text.replacingBytes(of: "\n", with: "\\n"))\""
    }

    private static func escaped(_ text: String) -> String { text.replacingBytes(of: "%", with: "%%") }
}
