import LatchKit

/// What the program says about itself.
public enum AboutScreen {
    /// The name of the program.
    public static let name = AppScreen.Text.name
    /// The version, such as "1.2.3".
    public static var version: String { LatchClient.version }
    /// What the program does, in one sentence.
    public static let summary =
        "Signs in to self-hosted servers, stays signed in, and downloads their files."
    /// Who made the program.
    public static let authors = "The Latchstring authors"
}
