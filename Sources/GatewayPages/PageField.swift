import HTTPMessages

/// One field of a form with its label, and the hint and the error message that belong to it.
///
/// Source: WCAG 2.2, success criteria 1.3.5, 3.3.1 and 3.3.2; HTML Living Standard §4.10.18.7, autofill.
struct PageField {
    /// The field's name in the form, and its id.
    let name: String
    let label: String
    var type = "text"
    /// The `autocomplete` attribute, which tells a password manager what to fill in.
    let autocomplete: String
    var value: String?
    var hint: String?
    /// The error message about the submitted value.
    var error: String?
    var isRequired = true
    var isFocused = false
    var isReadOnly = false
    /// Whether the value has only digits, so that phones show a number pad.
    var isNumeric = false
    /// The id of the element. Needed when two forms of a page have a field of the same name. Default: `name`.
    var id: String?

    var html: HTML {
        let id = id ?? name
        let hintID = hint == nil ? nil : "\(id)-hint"
        let errorID = error == nil ? nil : "\(id)-mistake"
        let described = [errorID, hintID].compactMap(\.self).joined(separator: " ")
        return """
            <div class="field">
            <label for="\(id)">\(label)</label>
            <input id="\(id)" name="\(name)" type="\(type)" autocomplete="\(autocomplete)"\
            \(attribute: "value", value)\
            \(attribute: "inputmode", isNumeric ? "numeric" : nil)\
            \(attribute: "aria-describedby", described.isEmpty ? nil : described)\
            \(attribute: "aria-invalid", error == nil ? nil : "true")\
            \(attribute: "autocapitalize", type == "email" ? "none" : nil)\
            \(attribute: "spellcheck", type == "email" ? "false" : nil)\
            \(flag: "required", isRequired)\(flag: "readonly", isReadOnly)\(flag: "autofocus", isFocused)>
            \(hint.map { "<p class=\"hint\" id=\"\(hintID ?? "")\">\($0)</p>" as HTML })
            \(error.map { "<p class=\"wrong\" id=\"\(errorID ?? "")\">\($0)</p>" as HTML })
            </div>
            """
    }
}
