import Arguments
import Testing

@Suite("Help")
struct HelpTests {
    @Test("is available at every level, in three spellings")
    func levels() throws {
        let root = try #require(try Sample.text("--help"))
        let add = try #require(try Sample.text("user", "add", "--help"))

        #expect(root.hasPrefix("Usage: sample [options] COMMAND\n\nShow what a command line can do.\n"))
        #expect(root.contains("Exit codes:\n  0  fine\n  1  not\n"))
        #expect(root.contains("\n  user   Work with people.\n"))
        #expect(add.hasPrefix("Usage: sample user add [options] EMAIL\n"))
        #expect(try Sample.text("user", "add", "-h") == add)
        #expect(try Sample.text("help", "user", "add") == add)
        #expect(Sample.program.help(["user", "add"]) == add)
        #expect(Sample.program.help(["nobody"]) == nil)
    }

    @Test("takes precedence over an incomplete command line")
    func incomplete() throws {
        #expect(try Sample.text("move", "--speed", "fast", "--help")?.hasPrefix("Usage: sample move") == true)
    }

    @Test("lists options of parent commands, variables, defaults, choices and repetition")
    func details() throws {
        let move = try #require(try Sample.text("move", "--help"))
        let send = try #require(try Sample.text("send", "--help"))

        #expect(move.contains("  -c, --config FILE  Read this file. [SAMPLE_CONFIG]\n"))
        #expect(move.contains("      --speed SPEED  How fast. One of: slow, fast. Default: slow.\n"))
        #expect(send.contains("A header to send. May be repeated."))
        #expect(send.contains("Usage: sample send [options] FILE...\n"))
    }

    @Test("is at most 80 columns wide")
    func width() throws {
        let long = Option<String>(
            "a-very-long-option-name-indeed", value: "SOMETHING",
            help: String(repeating: "Words that go on and on. ", count: 12))
        let command = Command("x", String(repeating: "much to say ", count: 20), arguments: [long]) { _ in 0 }
        let text = try #require(Program(root: command, version: "0").help())
        #expect(text.split(separator: "\n").map(\.count).max() ?? 0 <= 80)
        #expect(text.split(separator: "\n").count > 8)
    }

    @Test("also has the version")
    func version() throws {
        #expect(try Sample.text("--version") == "sample 1.2.3\n")
    }
}
