import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages

/// The page on which people see their devices and change their password, PIN and keys.
package struct AccountPage {
    let person: Person
    /// The session of the browser that sent the request.
    let current: SessionID
    let sessions: [SessionSummary]
    let now: Date
    let titles: DeviceTitles
    let prefix: String
    /// The hidden field of every form.
    let token: HTML
    var hasPassword = false
    /// A message about the change that was just made. Nil when there was none.
    var note: String?
    var currentError: String?
    var newError: String?
    var repeatedError: String?
    /// The rules for a new password.
    var passwordHint: String?
    /// The forms for the PIN. Nil when no dialect has PINs.
    var pin: PINForm?
    /// The person's API keys. Nil when no dialect creates keys and the person has none.
    var keys: KeyTable?
    /// The clients with access to the account. Nil when the authorization server is off.
    var apps: [App]?
    /// The sessions of clients that ended lately because somebody else had their tokens.
    var stolen: [StolenSession] = []
    /// The request that the page responds to.
    var visit: SignedInRequest?

    /// The messages after a form, by the word in the address that selects them. No other part of an address is ever
    /// shown.
    static let notes = [
        "device": "The device is signed out.",
        "device-apps": "The device is signed out, and so are the apps and devices that were allowed in its browser.",
        "others": "Every other device is signed out, and the keys of your programs are revoked.",
        "key": "The key is revoked.", "app": "The app has no access to your account any more.",
        "pin": "Your PIN is set.", "no-pin": "Your PIN is removed.",
        "password": "Your password is changed, and every other device is signed out.",
    ]

    var hasPasswordError: Bool { currentError != nil || newError != nil || repeatedError != nil }

    var content: HTML {
        """
        \(note.map { "<p class=\"note\" role=\"status\">\($0)</p>" as HTML })
        \(hasPasswordError ? "<div role=\"alert\"><p>Your password was not changed; see below.</p></div>" as HTML : nil)
        \(stolen.map(warning))
        \(who)
        \(devices)
        \(apps.map(appsSection))
        \(keys?.section)
        \(hasPassword ? password : nil)
        \(pin.map(pinSection))
        """
    }

    private var who: HTML {
        """
        <section class="card" aria-labelledby="who">
        <h2 id="who">\(person.name ?? person.email)</h2>
        <dl>
        <dt>E-mail</dt><dd>\(person.email)</dd>
        <dt>Added</dt><dd>\(ReadableTime.at(person.created))</dd>
        \(person.isAdministrator ? "<dt>Role</dt><dd>Administrator</dd>" as HTML : nil)
        </dl>
        </section>
        """
    }

    private var devices: HTML {
        let others = sessions.contains { $0.id != current } || keys?.keys.isEmpty == false
        return """
            <section class="card" aria-labelledby="devices">
            <h2 id="devices">Your devices</h2>
            <ul class="list">
            \(sessions.map(device))
            </ul>
            \(others ? endOthers : "<p class=\"quiet\">You are not signed in anywhere else.</p>")
            </section>
            """
    }

    private var endOthers: HTML {
        """
        <form method="post" action="\(link: prefix + PagePath.account + "/devices/end-others")">
        \(token)
        <button type="submit" class="harm">Sign out everywhere else</button>
        <p class="quiet">Every other device is signed out, and the keys of your programs are revoked.</p>
        </form>
        """
    }

    private func device(_ session: SessionSummary) -> HTML {
        let isCurrent = session.id == current
        let name = titles.title(of: session.device)
        let label = isCurrent ? "Sign out here" : "Sign out"
        return """
            <li>
            <div>
            <h3>\(name) \(isCurrent ? "<span class=\"badge\">This device</span>" as HTML : nil)</h3>
            <p class="quiet">\(AddressLocation.phrase(for: session.device.address)) · signed in \(ReadableTime.ago(session.created, now: now)) · \
            last used \(ReadableTime.ago(session.lastUsed, now: now))</p>
            </div>
            <form method="post" action="\(link: prefix + PagePath.account + "/devices/\(session.id.rawValue)/end")">
            \(token)
            <button type="submit" class="other" aria-label="\(label): \(name)">\(label)</button>
            </form>
            </li>
            """
    }

    var password: HTML {
        """
        <section class="card" aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p class="quiet">When you change it, every other device is signed out.</p>
        <form method="post" action="\(link: prefix + PagePath.account + "/password")">
        \(token)
        <input hidden name="username" autocomplete="username" value="\(person.email)">
        \(PageField(
            name: "current", label: "Current password", type: "password", autocomplete: "current-password",
            error: currentError, isFocused: currentError != nil
        ).html)
        \(PageField(
            name: "new", label: "New password", type: "password", autocomplete: "new-password", hint: passwordHint,
            error: newError,
            isFocused: currentError == nil && newError != nil
        ).html)
        \(PageField(
            name: "repeated", label: "Repeat new password", type: "password", autocomplete: "new-password",
            error: repeatedError, isFocused: currentError == nil && newError == nil && repeatedError != nil
        ).html)
        <button type="submit">Change password</button>
        </form>
        </section>
        """
    }
}
