/// The short name of a browser, found in its `User-Agent` field.
///
/// Source: RFC 9110 §10.1.5. The order matters, because every browser also names the older browsers whose pages it
/// wants to receive.
enum BrowserName {
    private static let programs = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
        ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Mac OS X", "macOS"), ("Macintosh", "macOS"), ("Linux", "Linux"), ("FreeBSD", "FreeBSD"),
        ("OpenBSD", "OpenBSD"),
    ]

    /// Returns a name such as `Firefox on Linux`; nil if the text is not from a browser.
    static func name(of agent: String) -> String? {
        guard agent.hasPrefix("Mozilla/5.0 (") else { return nil }
        let bounded = String(agent.prefix(512))
        guard let program = programs.first(where: { bounded.contains($0.0) })?.1 else { return nil }
        guard let system = systems.first(where: { bounded.contains($0.0) })?.1 else { return program }
        return "\(program) on \(system)"
    }
}
