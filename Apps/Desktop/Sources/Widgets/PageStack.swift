import CAdwaita
import Observation

/// The pages of the window: the one on top is shown, Back leads to the one below.
///
/// Pages that are not shown are invisible, because GTK 4.8 would leave them in the accessible tree. A page that is left is
/// removed when the transition has ended, which releases its widgets and its owner.
///
/// It is observed: the header bar shows what belongs to the page on top.
@MainActor @Observable
package final class PageStack: Element {
    @ObservationIgnored package let widget: Widget
    private var pages: [Page] = []

    /// Makes a stack without pages. Its widget keeps it.
    package init() {
        widget = gtk_stack_new()
        // The window may be as narrow as the page that is shown.
        gtk_stack_set_hhomogeneous(widget.opaque, 0)
        gtk_stack_set_vhomogeneous(widget.opaque, 0)
        expanded(horizontally: true, vertically: true)
        keep(self)
        on(property: "transition-running") { [unowned self] in removeOthers() }
    }

    /// The page that is shown.
    package var top: Page? { pages.last }

    /// Whether Back does anything.
    package var canGoBack: Bool { top?.canGoBack?() ?? (pages.count > 1 || top?.back != nil) }

    /// Shows a page above the others.
    package func push(_ page: Page) { show(pages + [page], GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT) }

    /// Does what Back means on the page that is shown.
    package func goBack() {
        guard canGoBack else { return }
        if let back = top?.back { back() } else { pop() }
    }

    /// Leaves the page that is shown. Does nothing on the last one. For work that ends later, see ``leave(_:)``.
    package func pop() {
        if let top { leave(top.id) }
    }

    /// Leaves a page, also when others were opened above it. Does nothing when it is the only one, or was left already.
    package func leave(_ id: Page.ID) {
        guard pages.count > 1, let index = pages.firstIndex(where: { $0.id == id }) else { return }
        if index == pages.count - 1 {
            show(pages.dropLast(), GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT)
        } else {
            pages.remove(at: index)
            removeOthers()
        }
    }

    /// Makes a page that can leave the stack by itself.
    ///
    /// - Parameter make: Makes the page. Its argument leaves it, as ``leave(_:)`` does.
    /// - Returns: The page, which is not shown yet.
    package func page(_ make: (_ leave: @escaping @MainActor () -> Void) -> Page) -> Page {
        let own = OwnID()
        let page = make { [weak self] in
            if let id = own.id { self?.leave(id) }
        }
        own.id = page.id
        return page
    }

    /// The identity of a page, for closures that are made before it.
    @MainActor
    private final class OwnID {
        var id: Page.ID?
    }

    /// Replaces all pages by one.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - isBack: Whether the page slides in as after Back.
    ///   - isImmediate: Whether the other pages are removed at once, without a transition, which lasts as long as the
    ///     window is not drawn.
    package func replace(with page: Page, isBack: Bool = false, isImmediate: Bool = false) {
        if isImmediate {
            show([page], GTK_STACK_TRANSITION_TYPE_NONE)
        } else {
            show([page], isBack ? GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT : GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT)
        }
    }

    private func show(_ pages: [Page], _ transition: GtkStackTransitionType) {
        self.pages = pages
        guard let page = top else { return }
        let content = page.content.widget
        if gtk_widget_get_parent(content) == nil {
            gtk_stack_add_child(widget.opaque, content)
            // The header bar has them only while the page is on top.
            for item in page.headerItems { content.hold(item) }
        }
        content.isVisible = true
        gtk_stack_set_transition_type(widget.opaque, transition)
        gtk_stack_set_visible_child(widget.opaque, content)
        (page.focus ?? content).focus()
        removeOthers()
    }

    /// Removes the pages that were left, and hides those below the one on top.
    private func removeOthers() {
        guard gtk_stack_get_transition_running(widget.opaque) == 0 else { return }
        let kept = Set(pages.map(\.content.widget))
        var next = gtk_widget_get_first_child(widget)
        while let child = next {
            next = gtk_widget_get_next_sibling(child)
            if !kept.contains(child) {
                gtk_stack_remove(widget.opaque, child)
            } else if child != top?.content.widget {
                child.isVisible = false
            }
        }
    }
}
