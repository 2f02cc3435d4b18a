/// A real browser that a test steers.
protocol DrivenBrowser: Sendable {
    /// The program that opens an address in it, with a profile of its own.
    var command: String { get }
    /// The folder with a program of its name, for what looks for one in `PATH` and gives it a profile.
    var programs: String { get }
    /// Runs a script in the page whose address contains `text`, again until it returns `true`, as a person's own act.
    func act(on text: String, _ script: String) async throws
    /// Ends it.
    func close() async
}
