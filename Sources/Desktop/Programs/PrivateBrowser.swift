import CLibrary
import FoundationEssentials
import Primitives

/// A browser that is started for one sign-in, with a new profile that is used only once.
///
/// It shares no cookies with the person's own browser. It is a separate process, so closing its window can be detected.
/// Its profile is locked while this program or the browser runs. It is removed by ``close()``, or by
/// ``removeAbandonedProfiles(_:)`` of a later program when this one was killed.
///
/// Source: TT-2; `flock(2)`: a lock lasts as long as any descriptor of the same open file.
package final class PrivateBrowser: Sendable {
    /// The supported browser programs, in order of preference.
    package static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "firefox-esr",
    ]

    /// The name of the browser program.
    package let name: String
    private let profile: BrowserProfile
    private let program: DesktopProgram

    /// Finds the first of ``names`` that is installed.
    ///
    /// - Parameter path: A list of folders in the format of `PATH`. Nil for the environment's `PATH`.
    /// - Returns: The full path of the program, or nil when none is installed.
    package static func find(in path: String? = nil) -> String? {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Opens a web address in a new browser.
    ///
    /// - Parameters:
    ///   - address: A web address.
    ///   - folder: The folder for profiles. It is created with mode 0700 when it is missing.
    ///   - path: A list of folders in the format of `PATH`. Nil for the environment's `PATH`.
    /// - Throws: ``DesktopError/Code/programMissing`` when no browser is installed,
    ///   ``DesktopError/Code/programFailed``, ``DesktopError/Code/unsafeFolder``.
    package init(_ address: String, profilesIn folder: String, path: String? = nil) throws(DesktopError) {
        guard let path = Self.find(in: path) else {
            throw DesktopError(
                .programMissing,
                "Could not open a separate browser: neither Chromium nor Firefox is installed; install one."
            )
        }
        name = path.split(separator: "/").last.map(String.init) ?? path
        profile = try BrowserProfile(in: folder)
        do {
            let isFirefox = name.hasPrefix("firefox")
            if isFirefox { try profile.write(Self.firefoxPreferences, to: "user.js") }
            let arguments = isFirefox ? Self.firefox(profile.path) : Self.chromium(profile.path)
            program = try DesktopProgram([path] + arguments + [address], inheriting: profile.descriptor)
        } catch {
            profile.remove()
            throw error
        }
    }

    /// Waits for the browser to end. Returns its exit status, or nil when the task is cancelled. Call this once only.
    package func status() async -> Int32? {
        await program.status()
    }

    /// Ends the browser, if it is still running, and removes its profile. The work completes even when the caller is
    /// cancelled.
    package func close() async {
        await withCheckedContinuation { continuation in
            SystemThread.detachOrEnd { [program, profile] in
                program.end()
                profile.remove()
                continuation.resume()
            }
        }
    }

    /// Removes abandoned profiles of programs that were killed.
    package static func removeAbandonedProfiles(_ folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            BrowserProfile(abandoned: folder + "/" + name)?.remove()
        }
    }

    /// Returns the arguments for Chromium.
    ///
    /// Source: chromium.org, "List of Chromium command line switches".
    private static func chromium(_ profile: String) -> [String] {
        [
            "--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check", "--disable-background-mode",
            "--disable-sync", "--password-store=basic", "--new-window",
        ]
    }

    /// Returns the arguments for Firefox.
    ///
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
