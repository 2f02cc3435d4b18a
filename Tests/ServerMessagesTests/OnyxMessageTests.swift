import HTTPMessages
import ServerMessages
import TestSupport
import Testing

@Suite struct OnyxMessageTests {
    @Test(
        "OX-8 every error format of an Onyx server is decoded",
        arguments: [
            (
                #"{"error_code":"SESSION_EXPIRED","detail":"It ended."}"#,
                OnyxError(.business, code: "SESSION_EXPIRED", detail: "It ended.")
            ),
            (
                #"{"detail":"LOGIN_BAD_CREDENTIALS"}"#,
                OnyxError(.detail, code: "LOGIN_BAD_CREDENTIALS", detail: "LOGIN_BAD_CREDENTIALS")
            ),
            (#"{"detail":"Unauthorized"}"#, OnyxError(.detail, detail: "Unauthorized")),
            (
                #"{"detail":{"code":"REGISTER_INVALID_PASSWORD","reason":"Too short"}}"#,
                OnyxError(.codedDetail, code: "REGISTER_INVALID_PASSWORD", detail: "Too short")
            ),
            (#"{"status_code":422,"message":"bad","data":null}"#, OnyxError(.validation, detail: "bad")),
            (#"{"detail":[{"msg":"a"},{"msg":"b"}]}"#, OnyxError(.validation, detail: "a; b")),
            (#"{"message":"boom"}"#, OnyxError(.message, detail: "boom")),
        ])
    func envelopes(body: String, error: OnyxError) {
        #expect(OnyxError(body: Array(body.utf8)) == error)
    }

    @Test(arguments: ["", "<html>", "[]", "{}", "\"Unauthorized\"", #"{"error":"Unauthorized"}"#])
    func `any other format is not an error of an Onyx server`(body: String) {
        #expect(OnyxError(body: Array(body.utf8)) == nil)
    }

    @Test("OX-1 a token response has exactly its two members, and its description never shows the token")
    func tokens() throws {
        let answer = OnyxTokenResponse(accessToken: "s3cret-s3cret")
        let json = try JSONValue(parsing: JSON.encode(answer))
        #expect(json["access_token"]?.string == "s3cret-s3cret")
        #expect(json["token_type"]?.string == "bearer")
        #expect(json.members?.count == 2)
        #expect(!"\(answer) \(String(reflecting: answer))".leaks("s3cret-s3cret"))
        var dumped = ""
        dump(answer, to: &dumped)
        #expect(!dumped.leaks("s3cret-s3cret"))
    }

    @Test func `a missing member is named, and no value is quoted`() {
        let error = #expect(throws: MessageError.self) {
            try JSON.decode(OnyxTokenResponse.self, from: Array(#"{"access_token":"s3cret-s3cret"}"#.utf8))
        }
        #expect(error?.message == "The member 'token_type' is missing from the JSON.")
    }
}
