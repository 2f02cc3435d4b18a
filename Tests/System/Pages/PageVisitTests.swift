import Foundation
import TestSupport
import Testing

/// The pages for people in a real Chromium, by keyboard alone; Tests/Programs/PageVisit has the way.
@Suite(.blocking, .timeLimit(.minutes(20))) struct PageVisitTests {
    @Test("people sign in, end a session, change the password and are disabled by keyboard; axe-core reports no issues")
    func visit() async throws {
        let folder = Products.packageFolder
        let python = folder + "/.build/page-visit/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw ChildProcess.Failure("What drives the browser is not installed: run scripts/page-visit.")
        }
        let fixture = try SystemFixture(["PYTHONDONTWRITEBYTECODE": "1"])
        let own = SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path])
        let sandbox = try RunningProgram(
            Products.path("latchd"), ["sandbox", "--json"], environment: own.environment)
        let line = try await sandbox.line(containing: "{")
        let pictures = ProcessInfo.processInfo.environment["LATCHSTRING_PICTURES"].map { [$0] } ?? []

        let result = try await Program.run(
            python, [folder + "/Tests/Programs/PageVisit/visit.py", line] + pictures, environment: own.environment)
        sandbox.send(SIGTERM)
        await sandbox.waitForExit()

        #expect(result.status == 0, "\(result.output)\(result.errors)")
        for step in [
            "signed in by keyboard alone", "ended a device", "changed the password", "signed in through the provider",
            "was told of a refusal",
            line.contains("\"immich\"") ? "set a PIN" : "", "disabled somebody", "signed out",
            "every page is accessible",
        ] where !step.isEmpty {
            #expect(result.output.contains(step), "\(step)")
        }
    }
}
