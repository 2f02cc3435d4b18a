import HTTPMessages
import Testing

@Suite("IP addresses and networks")
struct IPAddressTests {
    static let canonical: [(String, String)] = [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("0:0:1:0:0:0:1:0", "0:0:1::1:0"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ]

    @Test("text is parsed, and written canonically, RFC 5952 §4", arguments: canonical)
    func text(_ row: (String, String)) throws {
        let address = try #require(IPAddress(row.0))
        #expect(address.description == row.1)
        #expect(IPAddress(row.1) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(
        "an invalid address is refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", "1.2.3.-4", ":", ":::",
            "1::2::3",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "::1%eth0", "[::1]",
            "1.2.3.4::",
            "::1.2.3", "+1::", "-1::", "1:", ":1", "::1:",
        ])
    func refused(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    static let members: [(String, String, Bool)] = [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("10.0.0.0/8", "::a00:1", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::", false), ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("::/0", "1::", true),
        ("::/0", "1.2.3.4", false), ("::1/128", "::1", true), ("::1/128", "::2", false), ("fe80::/10", "febf::1", true),
    ]

    @Test("a network contains exactly the addresses with its prefix", arguments: members)
    func membership(_ row: (String, String, Bool)) throws {
        let network = try #require(IPNetwork(row.0))
        let address = try #require(IPAddress(row.1))
        #expect(network.contains(address) == row.2)
    }

    @Test(
        "a network with bits after its prefix, or an invalid network, is refused",
        arguments: [
            "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "/8",
            "2001:db8::1/64",
            "::/129", "x/8", "",
        ])
    func refusedNetwork(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test("loopback is 127.0.0.0/8 and ::1")
    func loopback() throws {
        #expect(try #require(IPAddress("127.9.9.9")).isLoopback)
        #expect(try #require(IPAddress("::1")).isLoopback)
        #expect(try !#require(IPAddress("::2")).isLoopback)
        #expect(try !#require(IPAddress("128.0.0.1")).isLoopback)
    }
}
