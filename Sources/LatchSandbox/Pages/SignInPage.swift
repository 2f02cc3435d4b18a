import JOSE

/// The page of the authorization endpoint: who, what is shared, whether, and what shall go wrong.
///
/// It is one form with names and no script, posted to the address of the page itself: a script needs only the address
/// that the client opened, and the fields `email`, `password` and `action`.
struct SignInPage {
    let query: AuthorizationQuery
    let people: [ProviderPerson]
    let session: ProviderSession?
    let algorithms: [SignatureAlgorithm]
    /// Where the form goes: the authorization endpoint with the request's parameters.
    let target: String
    var email: String?
    var mistake: String?

    var page: Page {
        let name = Page.escaped(query.client.name)
        return Page(
            title: "Sign in to \(query.client.name)",
            body: """
                <h1>Sign in to \(name)</h1>
                \(alert)<form method="post" action="\(Page.escaped(target))">
                \(who)
                \(shared)
                <button type="submit" name="action" value="allow">Sign in and allow</button>
                <button type="submit" name="action" value="deny" formnovalidate>Deny</button>
                \(tests)
                </form>
                \(known)
                """)
    }

    private var alert: String {
        mistake.map { "<p role=\"alert\">\(Page.escaped($0))</p>\n" } ?? ""
    }

    private var chosen: String {
        email ?? query.loginHint ?? session?.person.email ?? people.first?.email ?? ""
    }

    private var who: String {
        let options = people.map { "<option value=\"\(Page.escaped($0.email))\">\(Page.escaped($0.name))</option>" }
        let note =
            session.map {
                "<p>This browser is signed in as \(Page.escaped($0.person.email)), who needs no password.</p>"
            }
            ?? ""
        return """
            <label for="email">E-mail</label>
            <input id="email" name="email" type="email" value="\(Page.escaped(chosen))" list="people" required \
            autocomplete="username" autocapitalize="none" spellcheck="false">
            <datalist id="people">\(options.joined())</datalist>
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" autofocus>
            \(note)
            """
    }

    /// A form without the field `consent` comes from a script and shares everything that was asked for.
    private var shared: String {
        let boxes = query.scopes.filter { $0 != "openid" }.map { scope in
            """
            <label class="check"><input type="checkbox" name="share" value="\(Page.escaped(scope))" checked> \
            \(Page.escaped(scope))</label>
            """
        }
        guard !boxes.isEmpty else { return "" }
        return """
            <fieldset><legend>Share with \(Page.escaped(query.client.name))</legend>
            <input type="hidden" name="consent" value="shown">
            \(boxes.joined(separator: "\n"))
            </fieldset>
            """
    }

    private var tests: String {
        let faults = Fault.allCases.map { "<option value=\"\($0.rawValue)\">\($0.label)</option>" }
        let names = algorithms.map { "<option>\($0.rawValue)</option>" }
        return """
            <fieldset><legend>For tests</legend>
            <label for="fault">Fail on purpose</label>
            <select id="fault" name="fault"><option value="">No</option>\(faults.joined())</select>
            <label for="algorithm">Sign the ID token by</label>
            <select id="algorithm" name="algorithm">\(names.joined())</select>
            <label for="claims">Name and e-mail are in</label>
            <select id="claims" name="claims"><option value="id_token">the ID token and UserInfo</option>\
            <option value="userinfo">UserInfo only</option></select>
            </fieldset>
            """
    }

    private var known: String {
        let items = people.map { person in
            "<li>\(Page.escaped(person.name)): <code>\(Page.escaped(person.email))</code>, "
                + "password <code>\(Page.escaped(person.password))</code></li>"
        }
        return """
            <p>This is a provider for development. Everybody here is made up:</p>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            """
    }
}
