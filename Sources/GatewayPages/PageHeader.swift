import GatewayHTTP
import HTTPMessages

/// The header of pages for signed-in people: the navigation and the button to sign out.
struct PageHeader {
    let title: String
    let prefix: String
    /// The path of the page below the prefix.
    let current: String
    let isAdministrator: Bool
    /// The token of the form to sign out.
    let token: String

    var html: HTML {
        """
        <a class="skip" href="#main">Skip to content</a>
        <header class="top"><div>
        <span class="name">\(PageMark.html(of: title))\(title)</span>
        <nav aria-label="Pages">
        \(link("Account", PagePath.account))
        \(isAdministrator ? link("Administration", PagePath.administration) : nil)
        </nav>
        <form method="post" action="\(link: prefix + PagePath.signOut)">
        \(PageRoutes.hidden(token))
        <button type="submit" class="plain">Sign out</button>
        </form>
        </div></header>
        """
    }

    private func link(_ title: String, _ path: String) -> HTML {
        let isCurrent = current == path || current.hasPrefix(path + "/")
        return "<a href=\"\(link: prefix + path)\"\(attribute: "aria-current", isCurrent ? "page" : nil)>\(title)</a>"
    }
}
