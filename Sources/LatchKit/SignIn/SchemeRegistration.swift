import Desktop
import FoundationEssentials

/// Registers a program with the desktop as the handler of the custom schemes with which servers send the browser back.
///
/// The registration is a desktop entry that menus do not show, and the person's default application for each scheme.
///
/// Source: Desktop Entry Specification 1.5; Association between MIME types and applications 1.0.1.
package struct SchemeRegistration: Sendable {
    /// The file name of the desktop entry.
    package static let entry = "latchstring-callback.desktop"

    /// The schemes of all dialects, without duplicates.
    package static var schemes: [String] {
        Dialects.all.compactMap { ($0 as? any BrowserDialect)?.callback }
            .map { String($0.prefix { $0 != ":" }) }
            .reduce(into: []) { schemes, scheme in
                if !schemes.contains(scheme) { schemes.append(scheme) }
            }
    }

    /// The changes made by a registration.
    package struct Report: Sendable, Equatable {
        /// The absolute path of the desktop entry.
        package var path: String
        /// The schemes that are now registered for the program.
        package var schemes: [String]
        /// The desktop entries of other programs that were registered before, by scheme.
        package var replaced: [String: String]
    }

    private let applications: String
    private let configuration: String

    /// Makes a registration for the folders that environment variables specify.
    ///
    /// - Throws: ``LatchError/Code/storageFailed`` when neither `HOME` nor the XDG variables are absolute paths.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LatchError) {
        applications = try Folders.base("XDG_DATA_HOME", below: ".local/share", environment) + "/applications"
        configuration = try Folders.base("XDG_CONFIG_HOME", below: ".config", environment)
    }

    /// Whether the desktop entry exists.
    package var hasEntry: Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns whether the desktop entry is registered for a scheme. False when the desktop cannot be queried.
    package static func isRegistered(_ scheme: String) async -> Bool {
        await handler(of: scheme) == entry
    }

    /// Writes the desktop entry and registers it for every scheme.
    ///
    /// - Parameter program: The absolute path of the program. It is called with the arguments `callback` and the link.
    /// - Returns: The changes.
    /// - Throws: ``LatchError/Code/registrationFailed``.
    package func register(program: String) async throws(LatchError) -> Report {
        let schemes = Self.schemes
        var replaced: [String: String] = [:]
        for scheme in schemes {
            if let other = await Self.handler(of: scheme), other != Self.entry, !other.isEmpty {
                replaced[scheme] = other
            }
        }
        do {
            try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: true)
            try Data(Self.text(program, schemes).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw LatchError(
                .registrationFailed, "Could not write '\(path)'. Check that you own the folder.", cause: error)
        }
        // If this command is missing, the desktop still finds the entry through the person's default application.
        _ = try? await DesktopProgram.output(of: ["update-desktop-database", applications])
        for scheme in schemes { try await choose(scheme) }
        return Report(path: path, schemes: schemes, replaced: replaced)
    }

    /// Removes the desktop entry and its registration.
    ///
    /// - Returns: Whether there was a desktop entry.
    /// - Throws: ``LatchError/Code/registrationFailed``.
    package func remove() async throws(LatchError) -> Bool {
        let list = configuration + "/mimeapps.list"
        do {
            if let text = FileManager.default.contents(atPath: list).flatMap({ String(validating: $0, as: UTF8.self) })
            {
                let kept = MIMEAssociations.removing(Self.entry, from: text)
                if kept != text { try Data(kept.utf8).write(to: URL(fileURLWithPath: list), options: .atomic) }
            }
            guard FileManager.default.fileExists(atPath: path) else { return false }
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw LatchError(
                .registrationFailed, "Could not change '\(list)' and remove '\(path)'. Check that you own both.",
                cause: error)
        }
        _ = try? await DesktopProgram.output(of: ["update-desktop-database", applications])
        return true
    }

    private var path: String { applications + "/" + Self.entry }

    private func choose(_ scheme: String) async throws(LatchError) {
        do {
            let type = "x-scheme-handler/" + scheme
            let (status, _) = try await DesktopProgram.output(of: ["xdg-mime", "default", Self.entry, type])
            if status == 0, await Self.isRegistered(scheme) { return }
        } catch {
            throw LatchError(
                .registrationFailed,
                "Could not register \(scheme)://: 'xdg-mime' is missing. Install the package xdg-utils and try again.",
                cause: error)
        }
        throw LatchError(
            .registrationFailed,
            "Could not register \(scheme)://: 'xdg-mime' did not set '\(Self.entry)' as its handler.")
    }

    private static func handler(of scheme: String) async -> String? {
        let words = ["xdg-mime", "query", "default", "x-scheme-handler/" + scheme]
        guard let (status, text) = try? await DesktopProgram.output(of: words), status == 0 else { return nil }
        return String(text.prefix { !$0.isNewline })
    }

    /// Returns the contents of the desktop entry.
    ///
    /// Source: Desktop Entry Specification 1.5, "The Exec key".
    static func text(_ program: String, _ schemes: [String]) -> String {
        return """
            [Desktop Entry]
            Type=Application
            Version=1.5
            Name=Latchstring sign-in
            Comment=Brings a sign-in in the browser back to latch
            Exec=\(DesktopEntry.quoted(program)) callback %u
            Terminal=false
            NoDisplay=true
            StartupNotify=false
            MimeType=\(schemes.map { "x-scheme-handler/\($0);" }.joined())

            """
    }
}

/// Edits `mimeapps.list`, which contains the person's default applications.
enum MIMEAssociations {
    /// Returns the list without one program. All other bytes stay the same.
    static func removing(_ entry: String, from text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { return String(line) }
            let entries = line[line.index(after: equals)...].split(separator: ";")
            let kept = entries.filter { $0 != entry }
            guard kept.count < entries.count else { return String(line) }
            return kept.isEmpty ? nil : line[...equals] + kept.map { $0 + ";" }.joined()
        }
        return lines.joined(separator: "\n")
    }
}
