/// Texts that several screens and front ends share.
public enum CommonText {
    /// The button that takes over an edited text.
    public static let apply = "Apply"
    /// The button that does not do what is asked or offered, or ends what is in progress.
    public static let cancel = "Cancel"
    /// The button that removes something from a list.
    public static let remove = "Remove"
    /// The button that tries again.
    public static let retry = "Retry"
    /// The button that shows the masked text of a field.
    public static func reveal(_ field: String) -> String { "Show the text of '\(field)'" }
    /// When something was last used.
    ///
    /// - Parameter date: The date in the language of the person.
    /// - Returns: The sentence.
    public static func lastUsed(_ date: String) -> String { "Last used \(date)" }
}
