import LatchKit
import LatchScreens
import Widgets

/// The question whether to trust a certificate.
@MainActor
final class TrustPage {
    /// Makes the page of a flow's screen.
    static func page(_ screen: TrustScreen) -> Page {
        let error = ErrorLabel()
        error.text = screen.error.message
        let facts = screen.facts.map { fact in ActionRow(fact.name, subtitle: fact.value) }
        let cancel = Button.pill(TrustScreen.Text.cancel) { screen.cancel() }
        let trust = Button.pill(TrustScreen.Text.trust) { screen.trust() }.styled("destructive-action")
        var page = Page(
            AppScreen.Text.name, owner: TrustPage(),
            Page.form(
                Label.heading(TrustScreen.Text.title), error, Label(TrustScreen.Text.advice), Group(nil, facts),
                Stacked.row(cancel, trust).centered()))
        page.subtitle = screen.address.authority
        page.focus = cancel
        page.back = { screen.cancel() }
        return page
    }
}
