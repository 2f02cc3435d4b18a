import GatewayHTTP
import HTTPMessages
import JOSE
import LatchGateway

/// The page of the authorization endpoint: the account, the scopes to share, the decision and an optional fault.
///
/// The page is one form with named fields and no script, posted to the address of the page itself. A test script only
/// needs the address that the client opened, and the fields `email`, `password` and `action`.
struct SignInPage {
    let query: AuthorizationQuery
    let people: [ProviderPerson]
    let session: ProviderSession?
    let algorithms: [SignatureAlgorithm]
    /// The target of the form: the authorization endpoint with the parameters of the request.
    let target: String
    var email: String?
    var error: String?

    /// The page. Its form target is unrestricted, because the redirects after it lead to the client and on to the
    /// custom scheme of an app.
    var page: WebPage {
        var page = WebPage(
            title: "Sign in to \(query.client.name)",
            """
            \(alert)
            <form method="post" action="\(link: target)">
            \(who)
            \(shared)
            <p></p>
            <button type="submit" name="action" value="allow" class="block">Sign in and allow</button>
            <button type="submit" name="action" value="deny" formnovalidate class="block other">Deny</button>
            \(tests)
            </form>
            \(known)
            """)
        page.server = "Sandbox provider"
        page.formTargets = .anywhere
        return page
    }

    private var alert: HTML? {
        error.map { "<p role=\"alert\">\($0)</p>" }
    }

    private var chosen: String {
        email ?? query.loginHint ?? session?.person.email ?? people.first?.email ?? ""
    }

    private var who: HTML {
        let options: [HTML] = people.map { "<option value=\"\($0.email)\">\($0.name)</option>" }
        let note: HTML? = session.map {
            "<p class=\"hint\">This browser is signed in as \($0.person.email). No password is needed.</p>"
        }
        return """
            <label for="email">E-mail</label>
            <input id="email" name="email" type="email" value="\(chosen)" list="people" required \
            autocomplete="username" autocapitalize="none" spellcheck="false">
            <datalist id="people">\(options)</datalist>
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" autofocus>
            \(note)
            """
    }

    /// The scopes to share. A form without the field `consent` comes from a script and shares all requested scopes.
    private var shared: HTML {
        let boxes: [HTML] = query.scopes.filter { $0 != "openid" }.map { scope in
            """
            <label class="check"><input type="checkbox" name="share" value="\(scope)" checked> \
            \(scope)</label>
            """
        }
        guard !boxes.isEmpty else { return "" }
        return """
            <fieldset><legend>Share with \(query.client.name)</legend>
            <input type="hidden" name="consent" value="shown">
            \(boxes)
            </fieldset>
            """
    }

    private var tests: HTML {
        let faults: [HTML] = Fault.allCases.map { "<option value=\"\($0.rawValue)\">\($0.label)</option>" }
        let names: [HTML] = algorithms.map { "<option>\($0.rawValue)</option>" }
        return """
            <fieldset><legend>For tests</legend>
            <label for="fault">Simulate an error</label>
            <select id="fault" name="fault"><option value="">No</option>\(faults)</select>
            <label for="algorithm">Sign the ID token with</label>
            <select id="algorithm" name="algorithm">\(names)</select>
            <label for="claims">Name and e-mail are in</label>
            <select id="claims" name="claims"><option value="id_token">the ID token and UserInfo</option>\
            <option value="userinfo">UserInfo only</option></select>
            </fieldset>
            """
    }

    private var known: HTML {
        let items: [HTML] = people.map { person in
            "<li>\(person.name): <code>\(person.email)</code>, password <code>\(person.password)</code></li>"
        }
        return """
            <p>This is a provider for development. All people here are fictional:</p>
            <ul>
            \(items)
            </ul>
            """
    }
}
