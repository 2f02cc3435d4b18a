import HTTPServer
import Wire

/// What a person is asked before something is done that cannot be taken back by one click.
struct PageQuestion {
    /// The question.
    let title: String
    /// What will happen.
    let sentence: String
    /// The word on the button that does it.
    let button: String
    /// The page that the person stays on otherwise, below the prefix.
    let page: String
    /// The fields of the form that ask for it, besides the token.
    var fields: [(name: String, value: String)] = []

    /// The field that says that the question was answered.
    static let answer = "confirmed"
}

extension PageRoutes {
    /// The page with a question that was not answered yet; nil when it was.
    ///
    /// It is a form to the same address, with the same token: whoever could not send the first cannot send the second.
    ///
    /// Source: WCAG 2.2, success criterion 3.3.4.
    func unanswered(_ question: PageQuestion, _ visit: PageVisit) -> ServerResponse? {
        guard visit.fields[PageQuestion.answer] != "1" else { return nil }
        let fields: [HTML] = (question.fields + [(PageQuestion.answer, "1")]).map { name, value in
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
            <button type="submit" class="harm full">\(question.button)</button>
            <a class="button other" href="\(link: prefix + question.page)">Cancel</a>
            </form>
            </section>
            """, for: visit, at: question.page
        ).response()
    }
}
