import HTTPMessages
import JOSE
import Primitives

/// The submitted fields of the sign-in page.
struct SignInForm {
    enum Action: String {
        case allow, deny
    }

    let action: Action
    let email: String
    let password: String
    /// The scopes to share. Nil for all requested scopes.
    let shared: Set<String>?
    let choices: TestChoices

    /// Parses the form.
    ///
    /// - Returns: Nil when a field has a value that the page does not offer.
    init?(_ fields: FormFields, algorithms: [SignatureAlgorithm]) {
        guard let action = fields["action"].flatMap(Action.init) else { return nil }
        var choices = TestChoices(algorithm: algorithms[0])
        if let name = fields["fault"], !name.isEmpty {
            guard let fault = Fault(rawValue: name) else { return nil }
            choices.fault = fault
        }
        if let name = fields["algorithm"], !name.isEmpty {
            guard let algorithm = algorithms.first(where: { $0.rawValue == name }) else { return nil }
            choices.algorithm = algorithm
        }
        switch fields["claims"] {
        case nil, "id_token": break
        case "userinfo": choices.hasClaimsInToken = false
        default: return nil
        }
        if choices.fault?.needsUserInfo == true { choices.hasClaimsInToken = false }
        self.action = action
        self.choices = choices
        email = (fields["email"] ?? "").lowercasedASCII
        password = fields["password"] ?? ""
        shared = fields["consent"] == nil ? nil : Set(fields.values("share"))
    }
}
