import Arguments
import Desktop
import LatchKit
import Primitives
import Terminal

/// `latch register-schemes`: registers `latch` with the desktop for links of custom schemes.
struct RegisterSchemes: ExecutableCommand {
    private static let remove = Flag("remove", help: "Undo the registration.")

    static let command = Command<Request>(
        "register-schemes", "Register latch for the links with which browsers return from a sign-in.",
        discussion: """
            Some servers end a sign-in in the browser with a link for a registered program, such as \
            onyx://auth/callback. This command writes the desktop entry '\(SchemeRegistration.entry)' and registers \
            it for these links. The entry contains the path of this program: run the command again after you have \
            moved the program.
            """,
        arguments: [remove]
    ) { given in
        Request(given, RegisterSchemes(removes: given[remove]))
    }

    private let removes: Bool

    var isNonInteractive: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let registration = try SchemeRegistration()
        let names = BrowserSignIn.callbackSchemes.map { $0 + "://" }.joined(separator: ", ")
        guard !removes else {
            let wasThere = try await registration.remove()
            try context.console.result(
                [
                    wasThere
                        ? "latch is no longer registered for \(names)." : "latch was not registered for \(names)."
                ],
                json: ["registered": false, "changed": .bool(wasThere)])
            return .done
        }
        let report = try await registration.register(program: try Self.program())
        for (scheme, other) in report.replaced.sorted(by: { $0.key < $1.key }) {
            context.console.warn("\(scheme)://: latch replaces '\(other.printable)'.")
        }
        try context.console.result(
            ["latch is registered for \(names), in \(report.path).", "To undo it: latch register-schemes --remove"],
            json: [
                "registered": true, "path": .string(report.path),
                "schemes": .array(report.schemes.map { .string($0) }),
            ])
        return .done
    }

    /// Returns the path of this program's executable.
    private static func program() throws(LatchError) -> String {
        guard let path = DesktopProgram.ownPath else {
            throw LatchError(.registrationFailed, "Could not determine the path of the latch program.")
        }
        return path
    }
}
