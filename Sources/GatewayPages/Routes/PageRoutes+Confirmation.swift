import GatewayHTTP
import HTTPMessages
import HTTPServer

/// A confirmation before an action that one click cannot undo.
struct ConfirmationPage {
    /// The title of the page, a question.
    let title: String
    /// What happens after the confirmation.
    let sentence: String
    /// The label of the button that confirms.
    let button: String
    /// The page that "Cancel" leads to, below the prefix.
    let page: String
    /// Whether the button has the colour of an action that takes something away. Default: true.
    var isHarmful = true
    /// The fields of the original form, without the token.
    var fields: [(name: String, value: String)] = []

    /// The name of the field that confirms.
    static let confirmationField = "confirmed"
}

extension PageRoutes {
    /// Returns the confirmation page, or nil when the form already has the confirmation.
    ///
    /// The form on the page has the same address and token as the original form, so the same protection against forged
    /// requests applies.
    ///
    /// Source: WCAG 2.2, success criterion 3.3.4.
    func confirmationPage(_ question: ConfirmationPage, _ visit: SignedInRequest) -> ServerResponse? {
        guard visit.fields[ConfirmationPage.confirmationField] != "1" else { return nil }
        let fields: [HTML] = (question.fields + [(ConfirmationPage.confirmationField, "1")]).map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return framed(
            question.title,
            """
            <section class="card" aria-label="Question">
            <p>\(question.sentence)</p>
            <form method="post" action="\(link: visit.request.path)" class="actions">
            \(hidden(visit))
            \(fields)
            <button type="submit"\(attribute: "class", question.isHarmful ? "harm full" : nil)>\(question.button)</button>
            <a class="button other" href="\(link: prefix + question.page)">Cancel</a>
            </form>
            </section>
            """, for: visit, at: question.page
        ).response()
    }
}
