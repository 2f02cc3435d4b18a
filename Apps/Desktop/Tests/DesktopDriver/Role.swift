/// The role of a control in the accessible tree, by the name that AT-SPI gives it.
package enum Role: String, Sendable {
    case alert
    case checkBox = "check box"
    case comboBox = "combo box"
    case button = "push button"
    case field = "text"
    /// The dialog of GTK for a file or folder.
    case chooser = "filler"
    case frame
    case heading
    case image
    case label
    case listItem = "list item"
    case menuItem = "menu item"
    case toggle = "toggle button"
}
