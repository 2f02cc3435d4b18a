import HTTPMessages
import OAuth
import Testing

@Suite struct ProtectedResourceTests {
    @Test(
        "RFC 9110 §11.6.1 challenges are separated, whatever is between them",
        arguments: [
            ("Bearer", ["bearer"]), ("Basic realm=\"a, b\", Bearer x=y", ["basic", "bearer"]),
            ("Negotiate abc==, Bearer a=b , c = \"d\"", ["negotiate", "bearer"]),
            ("Negotiate,Bearer", ["negotiate", "bearer"]),
            (", ,Bearer a=1,,b=2,", ["bearer"]), ("NTLM abc", ["ntlm"]), ("", []),
        ] as [(String, [String])])
    func schemes(_ value: String, _ schemes: [String]) {
        #expect(AuthenticationChallenge.all(in: [value]).map(\.scheme) == schemes)
    }

    @Test(
        "an invalid challenge is ignored",
        arguments: [
            "Bearer a=\"b", "Bearer a=b a=c", "Bearer a=b, a=c", "=", "Bearer a=\"b\" c", "\"x\"", "Bearer a=b;c=d",
            "Bearer a==b", "Bearer é=1", "Bearer a=\"\\",
        ])
    func broken(_ value: String) {
        #expect(AuthenticationChallenge.all(in: [value, "Other"]).map(\.scheme) == ["other"])
    }

    @Test("RFC 9728 §5.1 the metadata URL is read from the Bearer challenge, unescaped")
    func address() {
        let headers: HTTPHeaders = [
            "WWW-Authenticate": #"Basic resource_metadata="no""#,
            "www-authenticate": #"BEARER realm="\"x\"", Resource_Metadata = "https://a/b\-c""#,
        ]
        #expect(ProtectedResource.address(in: headers) == "https://a/b-c")
        #expect(ProtectedResource.address(in: ["WWW-Authenticate": "Bearer"]) == nil)
        #expect(
            ProtectedResource.address(origin: "https://a", path: "/b")
                == "https://a/.well-known/oauth-protected-resource/b"
        )
        #expect(
            ProtectedResource.address(origin: "https://a", path: "") == "https://a/.well-known/oauth-protected-resource"
        )
    }
}
