import CAdwaita
import LatchScreens
import Widgets

/// Shown while the accounts are opened.
@MainActor
final class OpeningPage {
    /// Makes the page.
    static func page() -> Page {
        let spinner = Spinner(AppScreen.Text.opening)
        spinner.isSpinning = true
        gtk_widget_set_size_request(spinner.widget, 32, 32)
        let column = Stacked.column(spinner, Label(AppScreen.Text.opening).styled("dim-label"))
        column.aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
        return Page(AppScreen.Text.name, owner: OpeningPage(), column)
    }
}
