import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch endpoints`: lists, tests and changes the addresses at which an account's server can be reached.
struct Endpoints: ExecutableCommand {
    /// The operation.
    enum Action: Sendable {
        case list
        case add(ServerAddress, isLocal: Bool, ConnectionArguments)
        case remove(ServerAddress)
        case prefer(ServerAddress)
        case addWifi(String)
        case removeWifi(String)
        case test
    }

    static let command = Command<Request>(
        "endpoints", "List, test and change the addresses at which an account's server can be reached.",
        discussion: """
            The local address is preferred on the Wi-Fi networks that you name, then the external ones follow in their \
            order, and the account's own address is last. An address is used only after it has confirmed that you are \
            signed in. Programs switch at their start, when the network changes, and when an address fails. You stay \
            signed in.
            """,
        commands: [list, add, remove, prefer, wifi, test])

    private static let address = Argument<String>("ADDRESS", help: "The address.")
    private static let local = Flag("local", help: "The address in the local network. There is at most one.")
    private static let name = Argument<String>("NAME", help: "The name of the network, exactly as it is shown.")

    private static let list = Command<Request>(
        "list", "List the addresses and Wi-Fi networks, and the public address that the server announces.",
        arguments: [AccountOption.option]
    ) { given in request(given, .list) }

    private static let add = Command<Request>(
        "add", "Test an address and add it.",
        discussion: """
            Nothing of the account's own connection applies to another address: no pin, header, client certificate or \
            proxy. Give them here if the address needs them. An address that is not encrypted is refused, unless it is \
            on this machine.
            """,
        arguments: [address, local] + ConnectionArguments.all + [AccountOption.option]
    ) { given throws(ArgumentError) in
        request(
            given, .add(try parsed(given), isLocal: given[local], try ConnectionArguments(given)))
    }

    private static let remove = Command<Request>(
        "remove", "Remove an address.", arguments: [address, AccountOption.option]
    ) { given throws(ArgumentError) in request(given, .remove(try parsed(given))) }

    private static let prefer = Command<Request>(
        "prefer", "Make an address the first of the external ones.", arguments: [address, AccountOption.option]
    ) { given throws(ArgumentError) in request(given, .prefer(try parsed(given))) }

    private static let wifi = Command<Request>(
        "wifi", "Change the Wi-Fi networks on which the local address is preferred.",
        commands: [
            Command<Request>("add", "Add a network.", arguments: [name, AccountOption.option]) { given in
                request(given, .addWifi(given[name]))
            },
            Command<Request>("remove", "Remove a network.", arguments: [name, AccountOption.option]) { given in
                request(given, .removeWifi(given[name]))
            },
        ])

    private static let test = Command<Request>(
        "test", "Test now which of the addresses can be used, including the account's own.",
        arguments: [AccountOption.option]
    ) { given in request(given, .test) }

    private static func request(_ given: Invocation, _ action: Action) -> Request {
        Request(given, Endpoints(selector: given[AccountOption.option], action: action))
    }

    private static func parsed(_ given: Invocation) throws(ArgumentError) -> ServerAddress {
        do throws(LatchError) { return try ServerAddress(given[address]) } catch {
            throw given.usageError(error.message)
        }
    }

    let selector: String?
    let action: Action

    func perform(in context: CommandContext) async throws -> ExitCode {
        let kit = try await context.client()
        let account: Account
        switch action {
        case .list, .remove, .prefer, .addWifi, .removeWifi:
            account = try await context.account(selector)
            try await context.openSecrets()
        case .add, .test: account = try await context.session(selector).0
        }
        switch action {
        case .list: break
        case .test: return try await test(account, kit, context)
        case .add(let address, let isLocal, let arguments):
            let options = try await arguments.options(for: address, context.prompter)
            do {
                try await kit.addEndpoint(address, isLocal: isLocal, connection: options, to: account)
            } catch let error as LatchError where error.message.contains(address.authority) {
                if let hint = Hint.diagnosis(of: error, at: address) { context.setHint(hint) }
                throw error
            }
        case .remove(let address): try await kit.removeEndpoint(address, of: account)
        case .prefer(let address): try await kit.preferEndpoint(address, of: account)
        case .addWifi(let name): try await kit.addWifiName(name, of: account)
        case .removeWifi(let name): try await kit.removeWifiName(name, of: account)
        }
        // Offline, the list is shown without what the server announces.
        let announced = account.isSignedIn ? try? await kit.announcedAddress(of: account) : nil
        let text = EndpointText(account: account, settings: try await kit.endpoints(of: account), announced: announced)
        try context.console.result(text.lines(context.console.output), json: text.json)
        return .done
    }

    /// Tests all addresses, the account's own last. The exit code is that of the first failure.
    private func test(_ account: Account, _ kit: LatchClient, _ context: CommandContext) async throws -> ExitCode {
        var (code, results) = (ExitCode.done, [JSONValue]())
        func record(_ address: ServerAddress, _ check: () async throws -> Void) async throws {
            var failure: LatchError?
            do { try await check() } catch { failure = LatchError(describing: error) }
            try context.console.printLines([
                failure.map { "\(address)  failed: \($0.message)" } ?? "\(address)  ok"
            ])
            results.append([
                "address": .string(address.url), "isUsable": .bool(failure == nil),
                "problem": failure.map { Console.json($0) } ?? .null,
            ])
            if let failure, code == .done { code = ExitCode(for: failure.code) }
        }
        for endpoint in try await kit.endpoints(of: account).all {
            try await record(endpoint.address) { try await kit.testEndpoint(endpoint, of: account) }
        }
        try await record(account.serverURL) { try await kit.testOwnAddress(of: account) }
        try context.console.result([], json: ["account": AccountText.json(account), "tests": .array(results)])
        return code
    }
}
