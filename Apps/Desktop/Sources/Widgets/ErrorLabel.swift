import CAdwaita

/// A sentence about a failure. Screen readers announce it as an alert; it takes no space without one.
@MainActor
package struct ErrorLabel: Element {
    package let widget: Widget
    private let label: Label

    /// Makes a label without a sentence.
    package init() {
        label = Label(role: GTK_ACCESSIBLE_ROLE_ALERT)
        widget = label.widget
        styled("error")
        isVisible = false
    }

    /// The sentence. Nil hides the label.
    package var text: String? {
        get { isVisible ? label.text : nil }
        nonmutating set {
            label.text = newValue ?? ""
            // GTK 4.8 announces a label by its accessible name, which a label's text does not set.
            label.named(newValue ?? "")
            isVisible = newValue != nil
        }
    }
}
