import Foundation
import TestSupport
import Testing

/// `scripts/machine-speed`, whose values the limits of the tests follow.
@Suite(.timeLimit(.minutes(20))) struct MachineSpeedTests {
    @Test(
        "the limits are multiplied by the slowness of the machine, and fewer tests run at once on slower or fewer cores"
    )
    func limits() async throws {
        let script = """
            import importlib.machinery, importlib.util
            loader = importlib.machinery.SourceFileLoader("speed", "\(Products.packageFolder)/scripts/machine-speed")
            speed = importlib.util.module_from_spec(importlib.util.spec_from_loader("speed", loader))
            loader.exec_module(speed)
            usual = (speed.COMPUTE_SECONDS, speed.START_SECONDS)
            for compute, start, cores in [(1, 1, 2), (0.5, 0.5, 16), (1, 4, 2), (2, 1, 2), (1, 1, 1), (5, 5, 1), (1000, 1, 1)]:
                print(*speed.limits(compute * usual[0], start * usual[1], cores))
            """
        let result = try await Program.run("python3", ["-B", "-c", script])
        #expect(
            result.output.split(separator: "\n") == [
                "1.0 40 4", "1.0 40 16", "4.0 10 1", "2.0 20 2", "2.0 20 2", "10.0 6 1", "20.0 6 1",
            ], "\(result)")
    }

    @Test("a value that is set already is kept, and a shell can read the result")
    func assignments() async throws {
        let result = try await Program.run(
            "sh",
            [
                "-c",
                #"eval "$("$0")"; echo "$LATCHSTRING_TEST_SLOWNESS $LATCHSTRING_TEST_SYSTEM_WIDTH $LATCHSTRING_TEST_WIDTH""#,
                Products.packageFolder + "/scripts/machine-speed",
            ],
            environment: ProcessInfo.processInfo.environment.merging(
                ["LATCHSTRING_TEST_SLOWNESS": "3.5", "LATCHSTRING_TEST_WIDTH": ""]
            ) { $1 })
        let values = result.output.split(whereSeparator: \.isWhitespace)
        #expect(values.first == "3.5", "\(result)")
        #expect(values.last.flatMap { Int($0) }.map { (6...40).contains($0) } == true, "\(result)")
    }
}
