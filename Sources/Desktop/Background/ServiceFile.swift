import CProcess
import FoundationEssentials

/// A service of the person's own, kept in a file: their manager of services starts it again after a crash, and whenever the
/// manager itself begins, which is when they sign in, or with the machine where they linger.
///
/// Source: systemd.unit(5), user unit search path; systemd.service(5); systemd.syntax(7).
public struct ServiceFile: Sendable {
    /// What the manager calls it.
    public let name: String
    /// The file; nil where the person has no home.
    public let path: String?
    /// What has the manager start it.
    private let link: String?

    /// Names a service, which may be there or not.
    ///
    /// - Parameters:
    ///   - name: Its name, without its ending.
    ///   - environment: Where the person's configuration is.
    public init(_ name: String, environment: [String: String]) {
        self.name = name + ".service"
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        path = folder.map { "\($0)/systemd/user/\(name).service" }
        link = folder.map { "\($0)/systemd/user/default.target.wants/\(name).service" }
    }

    /// Whether it is there.
    public var isThere: Bool { path.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// Writes it, readable by this user alone.
    ///
    /// - Parameters:
    ///   - words: The program's path and its arguments; never a secret, for others may ask the manager for them.
    ///   - description: What it is called for people.
    ///   - environment: The variables that it is to have besides the manager's; never a secret.
    ///   - log: The file that what it says is added to.
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    func write(
        _ words: [String], description: String, environment: [String: String], log: String
    ) throws(DesktopError) {
        guard let path, let link else {
            throw DesktopError(.cannotWrite, "There is no folder for services, for HOME is not set.")
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
            # By a signal, not by an exit status: an error comes again.
            Restart=on-abnormal
            # The manager's own mask is another than that of whoever asked for this.
            UMask=\(String(repeating: "0", count: max(0, 4 - mask.count)))\(mask)
            StandardOutput=append:\(Self.escaped(log))
            StandardError=append:\(Self.escaped(log))
            \(variables.joined(separator: "\n"))
            ExecStart=\(Self.command(words))

            [Install]
            WantedBy=default.target

            """
        do {
            let (file, wanted) = (URL(fileURLWithPath: path), URL(fileURLWithPath: link))
            try FileManager.default.createDirectory(
                at: wanted.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try? FileManager.default.removeItem(at: wanted)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        } catch {
            throw DesktopError(.cannotWrite, "Could not write '\(path)'. Check that its folder is yours.")
        }
    }

    /// Removes it, if it is there. One that runs goes on to its end.
    public func remove() {
        for path in [link, path] {
            if let path { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// The words of a command: in the arguments a `$` would begin a variable.
    private static func command(_ words: [String]) -> String {
        let arguments = words.dropFirst().map { quoted($0.replacing("$", with: "$$")) }
        return (words.prefix(1).map(quoted) + arguments).joined(separator: " ")
    }

    /// Source: systemd.syntax(7), "Quoting"; systemd.unit(5), "Specifiers".
    private static func quoted(_ text: String) -> String {
        let text = escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))
        return "\"\(text.replacing("\n", with: "\\n"))\""
    }

    private static func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }
}
