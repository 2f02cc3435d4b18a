import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

/// Pages on which an administrator links an unlinked identity to a person.
///
/// Source: OX-7; OpenID Connect Core §5.7.
extension PageRoutes {
    private static let failures = PagePath.administration + "/failures"

    /// `GET /admin/identities/{id}`: shows what the provider sent about the identity, and a form that links it.
    func identityPage(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard let identity = try await unlinked(id) else { return notFound }
        return linkingPage(identity, for: visit)
    }

    /// `POST /admin/identities/{id}`: links the identity to the person with the given e-mail address. Asks first if
    /// the account may belong to somebody else than the owner of its address.
    package func linkIdentity(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(Self.failures) }
        guard let identity = try await unlinked(id),
            let provider = services.settings.providers.first(where: { $0.id == identity.provider })
        else { return notFound }
        let email = visit.fields["email"] ?? ""
        guard let person = try await services.people.find(email) else {
            return linkingPage(
                identity, for: visit, error: "No person has this e-mail address.", status: .unprocessableContent)
        }
        let question = question(about: person, identity)
        do {
            let isConfirmed = visit.fields[ConfirmationPage.confirmationField] == "1"
            try await services.people.link(
                person.id, to: identity.subject, at: provider, unproved: isConfirmed ? .replaced : .refused,
                by: visit.person.id)
        } catch let error as GatewayError where error.code == .addressUnproved {
            return response(asking: question, visit)
        } catch let error as GatewayError where error.code == .identityRefused {
            return linkingPage(identity, for: visit, error: error.message, status: .unprocessableContent)
        }
        return Self.redirect(to: pages.path(of: person) + "?done=linked")
    }

    private func question(about person: Person, _ identity: UnlinkedIdentity) -> ConfirmationPage {
        ConfirmationPage(
            title: "Give this account to the person of the identity?",
            sentence:
                "Neither an administrator nor a provider that links accounts by address has proved the address of "
                + "this account: somebody else may have registered it. The link removes its password, PIN and other "
                + "identities, ends its sessions, and revokes the keys of its programs. What the account has stored "
                + "stays. The address then counts as confirmed by you.",
            details: [
                ("E-mail", "\(person.email)"), ("Registered", ReadableTime.at(person.created)),
                ("Identity", "<code>\(identity.subject)</code> at \(identity.provider)"),
            ],
            button: "Link, and remove the old sign-in methods", page: Self.failures,
            fields: [("email", person.email)])
    }

    private func unlinked(_ id: String) async throws -> UnlinkedIdentity? {
        guard let number = Int(id) else { return nil }
        return try await services.people.unlinkedIdentity(number)
    }

    private func linkingPage(
        _ identity: UnlinkedIdentity, for visit: SignedInRequest, error: String? = nil, status: HTTPStatus = .ok
    ) -> ServerResponse {
        let email = identity.email.map { "\($0) (sent by the provider, may not be verified)" }
        return administrationPage(
            "Link an identity",
            """
            <section class="card" aria-label="At the provider">
            <dl>
            <dt>Provider</dt><dd>\(identity.provider)</dd>
            <dt>Subject</dt><dd><code>\(identity.subject)</code></dd>
            \(identity.name.map { "<dt>Name</dt><dd>\($0)</dd>" as HTML })
            <dt>E-mail</dt><dd>\(email ?? "none sent")</dd>
            <dt>Last seen</dt><dd>\(ReadableTime.ago(identity.seen, now: now))</dd>
            </dl>
            </section>
            <section class="card" aria-labelledby="link">
            <h2 id="link">Link to a person</h2>
            <p class="quiet">From then on, anyone who signs in at the provider as this subject is signed in here as \
            that person. Make sure that it is the right person.</p>
            <form method="post" action="\(link: prefix + PagePath.identity(identity.id))">
            \(hidden(visit))
            \(PageField(
                name: "email", label: "The person's e-mail on this server", type: "email", autocomplete: "off",
                value: visit.fields["email"], error: error, isFocused: error != nil
            ).html)
            <button type="submit">Link</button>
            </form>
            </section>
            """, for: visit, at: Self.failures, status: status, back: (Self.failures, "Failed sign-ins"))
    }
}
