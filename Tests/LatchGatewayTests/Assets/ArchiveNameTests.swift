import Testing

@testable import PictureLibrary

@Suite("Names in an archive")
struct ArchiveNameTests {
    @Test(
        "a name becomes one that can be unpacked anywhere",
        arguments: [
            ("IMG_1.jpg", "IMG_1.jpg"), ("Ünïcödé 🌅.heic", "Ünïcödé 🌅.heic"), ("../../etc/passwd", "....etcpasswd"),
            ("a/b\\c:d*e?f\"g<h>i|j", "abcdefghij"), ("", "unnamed"), ("/", "unnamed"), ("..", "unnamed"),
            (".", "unnamed"), ("a. . .", "a"), ("a\u{0}b\nc", "abc"), ("CON", "unnamed"), ("nul.txt", "unnamed"),
            (".hidden", ".hidden"), ("gpj.\u{202E}exe", "gpj.exe"),
        ])
    func sanitizing(_ wanted: String, _ name: String) {
        #expect(ArchiveNames.sanitized(wanted) == name)
    }

    @Test("the second of a name has a number before its ending, and no two names are one, not even by case")
    func doubles() {
        var names = ArchiveNames()
        let wanted = ["a.jpg", "a.jpg", "a+1.jpg", "A.JPG", "a.jpg", "b", "b", ".x", ".x", "c.tar.gz", "c.tar.gz"]
        let given = wanted.map { names.add($0) }
        #expect(
            given == [
                "a.jpg", "a+1.jpg", "a+1+1.jpg", "A+2.JPG", "a+3.jpg", "b", "b+1", ".x", ".x+1", "c.tar.gz",
                "c.tar+1.gz",
            ])
    }

    @Test("no name is longer than a file system takes, and many doubles take little time")
    func lengths() {
        var names = ArchiveNames()
        let long = String(repeating: "ä", count: 400) + ".jpg"
        var seen: Set<String> = []
        for _ in 0..<3_000 {
            let name = names.add(long)
            #expect(name.utf8.count <= 255)
            seen.insert(name)
        }
        #expect(seen.count == 3_000)
    }
}
