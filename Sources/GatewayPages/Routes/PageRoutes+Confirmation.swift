import GatewayHTTP
import HTTPMessages
import HTTPServer

/// A confirmation before an action that one click cannot undo.
struct ConfirmationPage {
    /// The title of the page, a question.
    let title: String
    /// What happens after the confirmation.
    let sentence: String
    /// What the action concerns, as names and values.
    var details: [(name: String, value: HTML)] = []
    /// Why an earlier confirmation did not count.
    var error: String?
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
        return response(asking: question, visit)
    }

    /// Returns the confirmation page, whether the form has the confirmation or not.
    func response(
        asking question: ConfirmationPage, _ visit: SignedInRequest, status: HTTPStatus = .ok
    ) -> ServerResponse {
        let fields: [HTML] = (question.fields + [(ConfirmationPage.confirmationField, "1")]).map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        let details: [HTML] = question.details.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>" }
        return framed(
            question.title,
            """
            \(question.error.map { "<div role=\"alert\"><p>\($0)</p></div>" as HTML })
            <section class="card" aria-label="Question">
            <p>\(question.sentence)</p>
            \(details.isEmpty ? nil : "<dl>\(details)</dl>" as HTML)
            <form method="post" action="\(link: visit.request.path)" class="actions">
            \(hidden(visit))
            \(fields)
            <button type="submit"\(attribute: "class", question.isHarmful ? "harm full" : nil)>\(question.button)</button>
            <a class="button other" href="\(link: prefix + question.page)">Cancel</a>
            </form>
            </section>
            """, for: visit, at: question.page
        ).response(status: status)
    }
}
