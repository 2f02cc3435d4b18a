import Arguments
import FoundationEssentials
import LatchKit
import Primitives
import Terminal

/// `latch register-schemes`: registers `latch` with the desktop for links of custom schemes.
struct RegisterSchemes: ExecutableCommand {
    private static let remove = Flag("remove", help: "Undo it.")

    static let command = Command<Request>(
        "register-schemes", "Let browsers bring sign-ins back to latch.",
        discussion: """
            Some servers send the browser back by a link that only a registered program takes, as onyx://auth/callback. This \
            writes an entry for the desktop, '\(SchemeRegistration.entry)', and makes it the program for these links. The \
            entry names this very program: run it again after moving it.
            """,
        arguments: [remove]
    ) { given in
        Request(given, RegisterSchemes(removes: given[remove]))
    }

    private let removes: Bool

    var asksNobody: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let registration = try SchemeRegistration()
        let names = SchemeRegistration.schemes.map { $0 + "://" }.joined(separator: ", ")
        guard !removes else {
            let wasThere = try await registration.remove()
            try context.console.result(
                [wasThere ? "Links of \(names) no longer come to latch." : "Links of \(names) did not come to latch."],
                json: ["registered": false, "changed": .bool(wasThere)])
            return .done
        }
        let report = try await registration.register(program: try Self.program())
        for (scheme, other) in report.replaced.sorted(by: { $0.key < $1.key }) {
            context.console.warn("\(scheme)://: latch takes the place of '\(other.printable)'.")
        }
        try context.console.result(
            ["Links of \(names) come to latch, by \(report.path).", "Undo it with: latch register-schemes --remove"],
            json: [
                "registered": true, "path": .string(report.path),
                "schemes": .array(report.schemes.map { .string($0) }),
            ])
        return .done
    }

    /// Returns the path of this program's executable.
    ///
    /// Source: proc(5), `/proc/self/exe`.
    private static func program() throws(LatchError) -> String {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let path else {
            throw LatchError(.registrationFailed, "Could not find where latch itself is.")
        }
        return path
    }
}
