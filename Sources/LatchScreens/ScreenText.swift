import LatchKit
import Primitives

/// Prepares text from servers for display.
enum ScreenText {
    /// The longest text from a server that is shown in one line, in characters.
    static let longestLine = 200

    /// Returns the text in one line without control characters or characters that change the direction of the text,
    /// shortened to ``longestLine``.
    static func line(_ text: String) -> String { clean(text, longestLine) }

    /// The longest text of several sentences that is shown, in characters.
    private static let longestText = 1_000

    /// Returns sentences that may contain text from a server, made safe as ``line(_:)`` does, but longer.
    static func sentences(_ text: String) -> String { clean(text, longestText) }

    /// Returns the e-mail address of an account and the host of its server.
    static func account(_ account: Account) -> String { "\(line(account.userEmail)) at \(account.serverURL.authority)" }

    private static func clean(_ text: String, _ longest: Int) -> String {
        let clean = String(decoding: text.utf8.prefix(longest * 16), as: UTF8.self).printable
        return clean.count > longest ? clean.prefix(longest - 1) + "…" : clean
    }
}
