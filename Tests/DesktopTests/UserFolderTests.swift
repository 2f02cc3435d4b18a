import Testing

@testable import Desktop

/// The folders of the person.
@Suite struct UserFolderTests {
    @Test(
        "IM-6 the folder is the one in the user's settings",
        arguments: [
            (#"XDG_PICTURES_DIR="$HOME/Bilder""#, "/home/ada/Bilder"), (#"XDG_PICTURES_DIR="/media/p""#, "/media/p"),
            ("# XDG_PICTURES_DIR=\"/no\"\n  XDG_PICTURES_DIR=\"/a//b/\"\n", "/a/b"),
            (#"XDG_PICTURES_DIR="$HOME/""#, "/home/ada"),
            (#"XDG_PICTURES_DIR="/a\"b\\c""#, #"/a"b\c"#), (#"XDG_PICTURES_DIR="Bilder""#, nil),
            (#"XDG_PICTURES_DIR="$HOMER/x""#, nil), (#"XDG_PICTURES_DIR="/open"#, nil), ("XDG_MUSIC_DIR=\"/m\"", nil),
            ("", nil),
        ] as [(String, String?)])
    func settings(_ text: String, _ path: String?) {
        #expect(UserFolder.pictures(in: text, home: "/home/ada") == path)
    }

    @Test("an empty or relative variable is ignored, and without a home folder there is no folder")
    func base() {
        #expect(UserFolder.data.path(["XDG_DATA_HOME": "/d/", "HOME": "/home/ada"]) == "/d")
        #expect(UserFolder.state.path(["XDG_STATE_HOME": "d", "HOME": "/home/ada"]) == "/home/ada/.local/state")
        #expect(UserFolder.cache.path(["XDG_CACHE_HOME": ""]) == nil)
        #expect(UserFolder.runtime(["XDG_RUNTIME_DIR": "/r"]).first == "/r")
    }
}
