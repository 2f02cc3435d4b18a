/// What the person is told when there is no client that could be told.
///
/// Source: RFC 6749 §4.1.2.1: nobody is redirected to an address that is not registered.
enum ErrorPage {
    static func page(_ sentence: String) -> Page {
        Page(
            title: "Sign-in is not possible",
            body: """
                <h1>Sign-in is not possible</h1>
                <p role="alert">\(Page.escaped(sentence))</p>
                <p>Go back to the app and start again.</p>
                """)
    }
}
