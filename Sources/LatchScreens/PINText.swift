/// The texts of the fields and buttons for a PIN: that of the app lock and that of a server.
enum PINText {
    static let current = "Current PIN"
    static let again = "Repeat the new PIN"
    static let set = "Set PIN"
    static let change = "Change PIN"
    static let differ = "The two PINs differ. Nothing was changed. Enter both again."
}
