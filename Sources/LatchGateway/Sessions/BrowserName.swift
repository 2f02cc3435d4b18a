/// What a browser is called in words, from the long text that it calls itself.
///
/// Source: RFC 9110 §10.1.5; every browser names the older ones whose pages it wants too, so the order matters.
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

    /// `Firefox on Linux`; nil for what is not a browser's text.
    static func name(of agent: String) -> String? {
        guard agent.hasPrefix("Mozilla/5.0 (") else { return nil }
        let bounded = String(agent.prefix(512))
        guard let program = programs.first(where: { bounded.contains($0.0) })?.1 else { return nil }
        guard let system = systems.first(where: { bounded.contains($0.0) })?.1 else { return program }
        return "\(program) on \(system)"
    }
}
