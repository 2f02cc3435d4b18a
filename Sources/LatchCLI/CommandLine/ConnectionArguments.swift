import Arguments
import LatchKit
import Terminal

/// How to connect to a server, as the command line says it; `login` and `doctor` take the same options.
struct ConnectionArguments: Sendable {
    private static let header = OptionList<String>(
        "header", short: "H", value: "HEADER",
        help: "Send 'Name: value' with every request to this server; @FILE reads such lines from a file.")

    /// In the order of help.
    static let all: [any ParameterDeclaring] = TrustArguments.all + [header]

    private let trust: TrustArguments
    private let headers: [String]

    init(_ given: Invocation) throws(ArgumentError) {
        trust = try TrustArguments(given)
        headers = given[Self.header]
    }

    /// Whether none was given.
    var isEmpty: Bool { trust.isEmpty && headers.isEmpty }

    /// Reads the files that are named, and asks for a key's passphrase when it has one.
    ///
    /// - Throws: ``LatchError`` also for what a server at that address has no use for.
    func options(for address: ServerAddress, _ person: Prompter) async throws -> ConnectionOptions {
        try trust.check(fits: address)
        var options = ConnectionOptions()
        try await trust.apply(to: &options, person)
        options.extraHeaders = try await HeaderLines.read(headers, with: .server)
        return options
    }
}
