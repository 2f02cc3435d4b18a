import Arguments
import Testing

@Suite("Command line parsing")
struct ParsingTests {
    @Test("passes values to the command that declares them, with options at any position")
    func values() throws {
        let expected = Sample.Action.add(email: "ada@example.org", name: "Ada L", admin: true, config: "/etc/x")
        #expect(
            try Sample.action("user", "add", "ada@example.org", "--name", "Ada L", "--admin", "--config=/etc/x")
                == expected)
        #expect(try Sample.action("-c/etc/x", "user", "add", "--admin", "-n", "Ada L", "ada@example.org") == expected)
        #expect(try Sample.action("user", "-c=/etc/x", "add", "--name=Ada L", "ada@example.org", "--admin") == expected)
    }

    @Test("keeps an empty value, a value with an equals sign and a single dash")
    func unusualValues() throws {
        #expect(
            try Sample.action("user", "add", "-", "--name=") == .add(email: "-", name: "", admin: false, config: nil))
        #expect(
            try Sample.action("user", "add", "a=b", "--name=c=d")
                == .add(email: "a=b", name: "c=d", admin: false, config: nil))
    }

    @Test("accepts negative numbers as values and positional arguments")
    func negativeNumbers() throws {
        #expect(try Sample.action("move", "-5", "-7") == .move(x: -5, y: -7, speed: nil))
        #expect(try Sample.action("move", "4", "--speed", "fast") == .move(x: 4, y: nil, speed: .fast))
        #expect(
            try Sample.action("user", "add", "a", "--name", "-3")
                == .add(email: "a", name: "-3", admin: false, config: nil))
    }

    @Test("accepts repeated options and collects the remaining words")
    func repeats() throws {
        let action = try Sample.action(
            "send", "-H", "a: 1", "one", "-qv", "--header=b: 2", "two", "--", "--three", "-v")
        #expect(action == .send(headers: ["a: 1", "b: 2"], files: ["one", "two", "--three", "-v"], verbose: true))
    }

    @Test("allows an optional positional argument to be omitted")
    func optional() throws {
        #expect(try Sample.action("login") == .login(nil))
        #expect(try Sample.action("login", "beta") == .login("beta"))
    }

    @Test("reads values from the environment, with precedence for the command line")
    func environment() throws {
        let variables = ["SAMPLE_CONFIG": "/env", "SAMPLE_VERBOSE": "yes"]
        #expect(
            try Sample.action("user", "add", "a", environment: variables)
                == .add(email: "a", name: nil, admin: false, config: "/env"))
        #expect(
            try Sample.action("user", "add", "a", "-c", "/line", environment: variables)
                == .add(email: "a", name: nil, admin: false, config: "/line"))
        #expect(
            try Sample.action("send", "f", environment: variables) == .send(headers: [], files: ["f"], verbose: true))
        #expect(
            try Sample.action("user", "add", "a", environment: ["SAMPLE_CONFIG": ""])
                == .add(email: "a", name: nil, admin: false, config: nil))
    }

    @Test(
        "reports a mistake in one line that mentions the help",
        arguments: [
            (
                ["user", "add", "a", "--amdin"], ArgumentError.Code.unknownOption,
                "sample user add: unknown option '--amdin'; did you mean '--admin'? See 'sample user add --help'."
            ),
            (
                ["user", "add", "a", "-z"], .unknownOption,
                "sample user add: unknown option '-z'. See 'sample user add --help'."
            ),
            (["usr"], .unknownCommand, "sample: unknown command 'usr'; did you mean 'user'? See 'sample --help'."),
            (
                ["help", "lgoin"], .unknownCommand,
                "sample: unknown command 'lgoin'; did you mean 'login'? See 'sample --help'."
            ),
            ([], .missing, "sample: a command is missing: user, move, send, login. See 'sample --help'."),
            (["user"], .missing, "sample user: a command is missing: add. See 'sample user --help'."),
            (["user", "add"], .missing, "sample user add: EMAIL is missing. See 'sample user add --help'."),
            (["send"], .missing, "sample send: FILE is missing. See 'sample send --help'."),
            (
                ["user", "add", "a", "--name"], .missing,
                "sample user add: --name needs a value: --name NAME. See 'sample user add --help'."
            ),
            (
                ["user", "add", "--name", "--admin", "a"], .missing,
                "sample user add: --name needs a value: --name NAME, or --name=NAME if it begins with a dash. "
                    + "See 'sample user add --help'."
            ),
            (
                ["user", "add", "a", "--name", "b", "-nc"], .unexpected,
                "sample user add: --name may be given only once. See 'sample user add --help'."
            ),
            (
                ["user", "add", "a", "--admin=yes"], .unexpected,
                "sample user add: --admin takes no value. See 'sample user add --help'."
            ),
            (["move", "left"], .badValue, "sample move: X: 'left' is not a whole number. See 'sample move --help'."),
            (
                ["move", "1", "--speed", "fats"], .badValue,
                "sample move: --speed: 'fats' is not one of slow, fast. See 'sample move --help'."
            ),
            (["move", "13"], .rule, "sample move: 13 is not moved by. See 'sample move --help'."),
        ])
    func invalidArguments(words: [String], code: ArgumentError.Code, message: String) {
        let error = #expect(throws: ArgumentError.self) { try Sample.program.parse(words) }
        #expect(error?.code == code)
        #expect(error?.message == message)
    }

    @Test("never repeats a word that may be a password")
    func secrets() {
        let password = "hunter2-hunter2"
        for arguments in [
            ["user", "add", "a", "--password=\(password)"], ["user", "add", "a", password], ["login", "x", password],
        ] {
            let error = #expect(throws: ArgumentError.self) { try Sample.program.parse(arguments) }
            #expect(error?.message.contains(password) == false)
        }
        let error = #expect(throws: ArgumentError.self) {
            try Sample.program.parse(["send", "f"], environment: ["SAMPLE_VERBOSE": password])
        }
        #expect(error?.message.contains("SAMPLE_VERBOSE is not one of true, false") == true)
        #expect(error?.message.contains(password) == false)
    }

    @Test("shows a hostile word shortened on one line")
    func hostileArgument() {
        let error = #expect(throws: ArgumentError.self) {
            try Sample.program.parse(["\u{1B}[2J\n" + String(repeating: "x", count: 5000)])
        }
        #expect(error?.message.contains("\u{1B}") == false)
        #expect(error?.message.contains("\n") == false)
        #expect((error?.message.count ?? .max) < 160)
    }
}
