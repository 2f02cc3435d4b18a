/// A question to the person before something that cannot be undone.
public struct Confirmation: Sendable, Equatable {
    /// The question.
    public let title: String
    /// What happens then, with the names of what ends. Safe to be displayed.
    public let text: String
    /// The text of the button that agrees.
    public let action: String
    /// The text of the button that does not.
    public static let cancel = CommonText.cancel
}
