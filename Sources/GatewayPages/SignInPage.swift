package import GatewayCore
package import GatewayHTTP
package import HTTPMessages

/// The page that signs people in: a form for a password, and a button for each identity provider.
package struct SignInPage {
    /// The name of the server.
    package let title: String
    package let prefix: String
    /// The token of the form.
    package let token: String
    /// The address where the person continues. Nil when the request names none, or one that is not allowed.
    package var destination: ReturnAddress?
    /// Whether people can sign in with e-mail and password. A password is one factor, so it does not help a person who
    /// needs several.
    private var hasPasswords: Bool { acceptsPasswords && !requiresSeveralFactors }
    let acceptsPasswords: Bool
    /// How long a session lives.
    let lifetime: SessionLifetime
    /// The buttons of the identity providers.
    package var providers: [ProviderButton] = []
    /// The signed-in person who must confirm their identity. Nil for an ordinary sign-in.
    package var again: Person?
    /// What the person can do instead of confirming their identity. Nil for an ordinary sign-in.
    package var otherWays: HTML?
    /// Whether the person must sign in with several factors.
    package var requiresSeveralFactors = false
    /// The e-mail address that the person entered.
    package var email: String?
    /// An error message about the whole form.
    package var alert: HTML?
    var emailError: String?
    var passwordError: String?
    /// A message about a change that was just made.
    package var note: String?

    /// The messages by the value of `done` in the query.
    static let notes = [
        "out": "You are signed out.",
        "ended": "You were signed out after you had opened the page. Nothing was changed. Sign in, and try again.",
    ]

    package var page: WebPage {
        let heading = again == nil ? "Sign in to \(title)" : "Confirm that it is you"
        var page = WebPage(
            title: again == nil ? heading : "\(heading) - \(title)",
            """
            \(note.map { "<p class=\"note\" role=\"status\">\($0)</p>" as HTML })
            \(alert.map { "<div role=\"alert\"><p>\($0)</p></div>" as HTML })
            \(purpose.map { "<p class=\"quiet\">\($0)</p>" as HTML })
            \(hasPasswords ? form : nil)
            \(hasPasswords && !providers.isEmpty ? "<p class=\"or\">or</p>" : nil)
            \(providers.map(\.html))
            \(hasPasswords || !providers.isEmpty ? nil : unavailable)
            \(otherWays)
            \(again == nil && (hasPasswords || !providers.isEmpty) ? duration : nil)
            """)
        page.heading = heading
        page.server = title
        page.isHeadingAbove = again == nil
        page.formTargets = .own
        return page
    }

    /// The reason why the person sees this page. Nil when the person expects it.
    private var purpose: HTML? {
        if requiresSeveralFactors {
            return """
                This page requires a sign-in with several factors, such as a password and a code. Sign in with an \
                identity provider that asks for them.
                """
        }
        if again != nil { return "This action requires a sign-in within the last few minutes." }
        return destination?.origin.map { "To use <strong>\(AddressName.text(of: $0))</strong>." }
    }

    /// How long this browser stays signed in.
    private var duration: HTML {
        let idle = ReadableTime.length(min(lifetime.sliding, lifetime.maximum))
        let total = ReadableTime.length(lifetime.maximum)
        let limit = lifetime.sliding < lifetime.maximum ? " without use, and \(total) at most" : ""
        return """
            <p class="foot">This browser stays signed in for \(idle)\(limit). Sign out if other people use it.</p>
            """
    }

    private var unavailable: HTML {
        requiresSeveralFactors
            ? "<p>You cannot sign in here with an identity provider. Ask the operator of this server.</p>"
            : "<p>You cannot sign in to this server in a browser.</p>"
    }

    private var form: HTML {
        let fixed = again?.email
        return """
            <form method="post" action="\(link: prefix + PagePath.signIn)">
            \(PageRoutes.hidden(token))
            \(destination.map { "<input type=\"hidden\" name=\"return\" value=\"\($0.text)\">" as HTML })
            \(fixed == nil ? nil : "<input type=\"hidden\" name=\"again\" value=\"1\">" as HTML)
            \(PageField(
                name: "username", label: "E-mail", type: "email", autocomplete: "username", value: fixed ?? email,
                error: emailError, isFocused: fixed == nil && (email == nil || emailError != nil),
                isReadOnly: fixed != nil
            ).html)
            \(PageField(
                name: "password", label: "Password", type: "password", autocomplete: "current-password",
                error: passwordError, isFocused: fixed != nil || (email != nil && emailError == nil)
            ).html)
            <button type="submit" class="block">\(again == nil ? "Sign in" : "Confirm")</button>
            </form>
            """
    }
}
