import Testing

@testable import PictureLibrary

@Suite("File names in archives")
struct ArchiveNameTests {
    @Test(
        "a name is changed so that it can be unpacked on every system",
        arguments: [
            ("IMG_1.jpg", "IMG_1.jpg"), ("Ünïcödé 🌅.heic", "Ünïcödé 🌅.heic"), ("../../etc/passwd", "....etcpasswd"),
            ("a/b\\c:d*e?f\"g<h>i|j", "abcdefghij"), ("", "unnamed"), ("/", "unnamed"), ("..", "unnamed"),
            (".", "unnamed"), ("a. . .", "a"), ("a\u{0}b\nc", "abc"), ("CON", "unnamed"), ("nul.txt", "unnamed"),
            ("nul.\u{301}txt", "unnamed"),
            (".hidden", ".hidden"), ("gpj.\u{202E}exe", "gpj.exe"),
        ])
    func sanitizing(_ wanted: String, _ name: String) {
        #expect(ArchiveNames.sanitized(wanted) == name)
    }

    @Test("a repeated name gets a number before its extension, and names are unique regardless of case")
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

    @Test("names fit into the limit of file systems, and many repeated names take little time")
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
