import CAdwaita

/// One page of the window: its title, its content, and what Back does.
///
/// The page's widget keeps `owner`, the Swift object that draws the page.
@MainActor
package struct Page {
    /// What distinguishes a page from all others of the program.
    package struct ID: Equatable {
        fileprivate let number: Int
    }

    private static var last = 0

    /// The identity of the page.
    package let id: ID
    /// The title in the header bar.
    package var title: String
    /// The line below the title, such as the name of the server.
    package var subtitle = ""
    /// The content.
    package var content: any Element
    /// The element that gets the keyboard focus when the page appears.
    package var focus: (any Element)?
    /// The elements at the end of the header bar while the page is shown.
    package var headerItems: [any Element] = []
    /// The name of the page, for a caller that opens a page only once. Nil: the page has none.
    package var route: String?
    /// What Back does instead of leaving the page. Nil: Back shows the page below, if there is one.
    package var back: (@MainActor () -> Void)?
    /// Whether Back does anything now. What it reads is observed. Nil: always, if there is a page below or ``back`` is set.
    package var canGoBack: (@MainActor () -> Bool)?

    /// Makes a page that `owner` draws.
    package init(_ title: String, owner: AnyObject, _ content: any Element) {
        Self.last += 1
        id = ID(number: Self.last)
        (self.title, self.content) = (title, content)
        content.widget.keep(owner)
    }

    /// Makes the usual content of a page: elements in a column of limited width that scrolls when the window is too low.
    ///
    /// - Parameters:
    ///   - width: The largest width of the column in pixels.
    ///   - isCentered: Whether the column is in the middle of the page instead of at its top.
    ///   - elements: The elements.
    /// - Returns: The content.
    package static func form(
        width: Int32 = 460, isCentered: Bool = true, _ elements: (any Element)...
    ) -> any Element {
        let column = Stacked.column()
        for element in elements { column.append(element) }
        let clamp: Widget = adw_clamp_new()
        adw_clamp_set_maximum_size(clamp.opaque, width)
        adw_clamp_set_child(clamp.opaque, column.widget)
        clamp.margins(horizontal: 12, vertical: 24)
        if isCentered { clamp.aligned(vertically: GTK_ALIGN_CENTER) }
        let scrolled: Widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scrolled.opaque, clamp)
        return scrolled
    }
}
