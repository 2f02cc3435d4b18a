import FoundationEssentials

/// A program that the desktop starts for links with custom schemes.
///
/// The registration is a desktop entry that menus do not show, and the person's default application for each scheme.
///
/// Source: Desktop Entry Specification 1.5; Association between MIME types and applications 1.0.1.
package struct SchemeHandler: Sendable {
    /// The absolute path of the desktop entry.
    package let path: String
    private let entry: String
    private let applications: String
    private let list: String

    /// Describes a registration, which need not exist.
    ///
    /// - Parameters:
    ///   - entry: The file name of the desktop entry.
    ///   - data: The folder ``UserFolder/data``.
    ///   - configuration: The folder ``UserFolder/configuration``.
    package init(_ entry: String, data: String, configuration: String) {
        self.entry = entry
        applications = data + "/applications"
        list = configuration + "/mimeapps.list"
        path = applications + "/" + entry
    }

    /// Whether the desktop entry exists.
    package var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the desktop entry that is registered for a scheme.
    ///
    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - environment: Additional environment variables for the query.
    /// - Returns: The file name of the entry. Empty when there is none, nil when the desktop cannot be queried.
    package static func entry(for scheme: String, environment: [String: String] = [:]) async -> String? {
        let words = ["xdg-mime", "query", "default", "x-scheme-handler/" + scheme]
        guard let (status, text) = try? await DesktopProgram.output(of: words, environment: environment), status == 0
        else { return nil }
        return String(text.prefix { !$0.isNewline })
    }

    /// Writes the desktop entry and registers it for every scheme.
    ///
    /// - Parameters:
    ///   - words: The absolute path of the program and its arguments. The link is added as the last one.
    ///   - schemes: The schemes.
    ///   - title: The name of the desktop entry, for people.
    ///   - comment: The description of the desktop entry, for people.
    /// - Throws: ``DesktopError/Code/cannotWrite``, ``DesktopError/Code/programMissing``,
    ///   ``DesktopError/Code/programFailed``.
    package func register(
        _ words: [String], for schemes: [String], title: String, comment: String
    ) async throws(DesktopError) {
        let text = """
            [Desktop Entry]
            Type=Application
            Version=1.5
            Name=\(title)
            Comment=\(comment)
            Exec=\(words.map(DesktopEntry.quoted).joined(separator: " ")) %u
            Terminal=false
            NoDisplay=true
            StartupNotify=false
            MimeType=\(schemes.map { "x-scheme-handler/\($0);" }.joined())

            """
        try ReplacedFile(path).write(text)
        await updateIndex()
        for scheme in schemes { try await choose(scheme) }
    }

    /// Removes the desktop entry and its registration.
    ///
    /// - Returns: Whether there was a desktop entry.
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    package func remove() async throws(DesktopError) -> Bool {
        if let text = FileManager.default.contents(atPath: list).flatMap({ String(validating: $0, as: UTF8.self) }) {
            let edited = MIMEAssociations.removing(entry, from: text)
            // A person may keep the list elsewhere, with a link to it here.
            let target = URL(fileURLWithPath: list).resolvingSymlinksInPath().path
            if edited != text { try ReplacedFile(target, keepsMode: true).write(edited) }
        }
        let existed = exists
        // Also without an entry, because a program that was killed while it registered may have left the new one.
        ReplacedFile(path).remove()
        guard !exists else { throw DesktopError(.cannotWrite, "Could not remove '\(path)'. Check that you own it.") }
        if existed { await updateIndex() }
        return existed
    }

    /// Updates the desktop's index of entries. Where the command is missing, the desktop finds the entry through the
    /// person's default application.
    private func updateIndex() async {
        _ = try? await DesktopProgram.output(of: ["update-desktop-database", applications])
    }

    private func choose(_ scheme: String) async throws(DesktopError) {
        do {
            let type = "x-scheme-handler/" + scheme
            let (status, _) = try await DesktopProgram.output(of: ["xdg-mime", "default", entry, type])
            if status == 0, await Self.entry(for: scheme) == entry { return }
        } catch {
            throw DesktopError(
                .programMissing,
                "Could not register \(scheme)://: 'xdg-mime' is missing. Install the package xdg-utils and try again.")
        }
        throw DesktopError(
            .programFailed, "Could not register \(scheme)://: 'xdg-mime' did not set '\(entry)' as its handler.")
    }
}

/// Edits `mimeapps.list`, which contains the person's default applications.
enum MIMEAssociations {
    /// Returns the list without one program. All other bytes stay the same.
    static func removing(_ entry: String, from text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { return String(line) }
            let entries = line[line.index(after: equals)...].split(separator: ";")
            let remaining = entries.filter { $0 != entry }
            guard remaining.count < entries.count else { return String(line) }
            return remaining.isEmpty ? nil : line[...equals] + remaining.map { $0 + ";" }.joined()
        }
        return lines.joined(separator: "\n")
    }
}
