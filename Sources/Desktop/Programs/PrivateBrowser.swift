import FoundationEssentials
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A browser started for one sign-in, with a profile that nobody has used before and nobody will again.
///
/// It knows no cookie of the person's own browser and leaves none there. It is a process of its own, so its end is known the
/// moment that the window is closed. Its profile is locked as long as this program or the browser lives, and removed
/// afterwards: by ``close()``, or by the next program's ``sweep(_:)`` when this one was killed.
///
/// Source: TT-2; `flock(2)`: a lock lives as long as any descriptor of the same open file.
public final class PrivateBrowser: Sendable {
    /// The programs that are looked for, in this order.
    public static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "firefox-esr",
    ]

    /// The name of the browser's program.
    public let name: String
    private let profile: BrowserProfile
    private let program: DesktopProgram

    /// The first of ``names`` that is installed, with its whole path.
    ///
    /// - Parameter path: Where programs are, as in `PATH`; nil for this program's own.
    /// - Returns: The path, or nil.
    public static func find(in path: String? = nil) -> String? {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Opens an address.
    ///
    /// - Parameters:
    ///   - address: A web address.
    ///   - folder: Where profiles are made; made itself, with mode 0700, when it is missing.
    ///   - path: Where programs are, as in `PATH`; nil for this program's own.
    /// - Throws: ``DesktopError/Code/programMissing`` when no browser is installed, ``DesktopError/Code/programFailed``,
    ///   ``DesktopError/Code/unsafeFolder``.
    public init(_ address: String, profilesIn folder: String, path: String? = nil) throws(DesktopError) {
        guard let path = Self.find(in: path) else {
            throw DesktopError(
                .programMissing, "Neither Chromium nor Firefox is installed, so there is no browser of its own to open."
            )
        }
        name = path.split(separator: "/").last.map(String.init) ?? path
        profile = try BrowserProfile(in: folder)
        do {
            let isFirefox = name.hasPrefix("firefox")
            if isFirefox { try profile.write(Self.firefoxPreferences, to: "user.js") }
            let words = isFirefox ? Self.firefox(profile.path) : Self.chromium(profile.path)
            program = try DesktopProgram([path] + words + [address], holding: profile.descriptor)
        } catch {
            profile.remove()
            throw error
        }
    }

    /// Waits until the browser has ended: its exit status; nil when the wait was cancelled. Ask once.
    public func status() async -> Int32? {
        await program.status()
    }

    /// Ends the browser, if it runs still, and removes its profile; also when the caller is cancelled.
    public func close() async {
        await withCheckedContinuation { continuation in
            SystemThread.detachOrEnd { [program, profile] in
                program.end()
                profile.remove()
                continuation.resume()
            }
        }
    }

    /// Removes the profiles whose programs are gone, as programs that were killed leave them.
    public static func sweep(_ folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            BrowserProfile(abandoned: folder + "/" + name)?.remove()
        }
    }

    /// Source: chromium.org, "List of Chromium command line switches".
    private static func chromium(_ profile: String) -> [String] {
        [
            "--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check", "--disable-background-mode",
            "--disable-sync", "--password-store=basic", "--new-window",
        ]
    }

    /// Source: firefox-source-docs.mozilla.org, "Command line parameters".
    private static func firefox(_ profile: String) -> [String] {
        ["--new-instance", "--no-remote", "--profile", profile, "--new-window"]
    }

    private static let firefoxPreferences = """
        user_pref("browser.aboutwelcome.enabled", false);
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("browser.startup.homepage_override.mstone", "ignore");
        user_pref("browser.startup.page", 0);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("signon.rememberSignons", false);
        user_pref("startup.homepage_welcome_url", "");
        user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);

        """
}
