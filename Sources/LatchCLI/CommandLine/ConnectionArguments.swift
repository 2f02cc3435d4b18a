import Arguments
import LatchKit
import Terminal

/// The options for the connection to a server. `login` and `doctor` take the same ones.
struct ConnectionArguments: Sendable {
    private static let header = OptionList<String>(
        "header", short: "H", value: "HEADER",
        help: "Send 'Name: value' with every request to this server; @FILE reads such lines from a file.")

    /// The options in the order of the help.
    static let all: [any ParameterDeclaring] = TrustArguments.all + [header]

    private let trust: TrustArguments
    private let headers: [String]

    init(_ given: Invocation) throws(ArgumentError) {
        trust = try TrustArguments(given)
        headers = given[Self.header]
    }

    /// Whether no option was given.
    var isEmpty: Bool { trust.isEmpty && headers.isEmpty }

    /// Reads the named files, and asks for the passphrase of a key that has one.
    ///
    /// - Throws: ``LatchError``, also when an option does not fit a server at that address.
    func options(for address: ServerAddress, _ prompter: Prompter) async throws -> ConnectionOptions {
        try trust.check(fits: address)
        var options = ConnectionOptions()
        try await trust.apply(to: &options, prompter)
        options.extraHeaders = try await HeaderLines.read(headers, with: .server)
        return options
    }
}
