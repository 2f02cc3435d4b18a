import GatewayHTTP
import HTTPMessages

extension AccountPage {
    /// The forms for a PIN.
    struct PINForm {
        /// Whether the person has a PIN.
        let isSet: Bool
        var currentError: String?
        var newError: String?
        var repeatedError: String?
    }

    func pinSection(_ pin: PINForm) -> HTML {
        """
        <section class="card" aria-labelledby="pin-heading">
        <h2 id="pin-heading">PIN</h2>
        <p class="quiet">It unlocks locked content in your apps, and nothing else. Four to six digits.</p>
        <form method="post" action="\(link: prefix + PagePath.account + "/pin")">
        \(token)
        \(pin.isSet ? field("current_pin", label: "Current PIN", error: pin.currentError) : nil)
        \(field("pin", label: pin.isSet ? "New PIN" : "PIN", error: pin.newError))
        \(field("repeated_pin", label: "Repeat PIN", error: pin.repeatedError))
        <button type="submit">\(pin.isSet ? "Change PIN" : "Set PIN")</button>
        </form>
        \(pin.isSet ? removal : nil)
        </section>
        """
    }

    /// A PIN field. `one-time-code` keeps password managers from storing the PIN, and `isNumeric` makes phones show a
    /// number pad.
    private func field(_ name: String, label: String, error: String?) -> HTML {
        PageField(
            name: name, label: label, type: "password", autocomplete: "one-time-code", error: error,
            isFocused: error != nil, isNumeric: true
        ).html
    }

    /// The form that removes a forgotten PIN. A sign-in confirms who the person is, in place of the PIN.
    private var removal: HTML {
        """
        <form method="post" action="\(link: prefix + PagePath.account + "/pin/remove")" class="apart">
        \(token)
        <p class="quiet">Forgot your PIN? Remove it and set a new one.</p>
        <button type="submit" class="harm">Remove PIN</button>
        </form>
        """
    }
}
