import TestSupport

/// What an Immich server says to those who have not signed in.
enum ScriptedImmich {
    /// A server that signs in both ways.
    static func response(
        _ request: FaultServer.Request, button: String = "Login with OAuth", version: (Int, Int) = (3, 1)
    ) -> FaultServer.Response {
        let body: String
        switch request.path {
        case "/.well-known/immich": body = #"{"api":{"endpoint":"/api"}}"#
        case "/api/server/ping": body = #"{"res":"pong"}"#
        case "/api/server/version": body = #"{"major":\#(version.0),"minor":\#(version.1),"patch":0}"#
        case "/api/server/features":
            let names = [
                "configFile", "duplicateDetection", "email", "facialRecognition", "importFaces", "map",
                "oauthAutoLaunch", "reverseGeocoding", "search", "sidecar", "smartSearch", "trash",
            ]
            let rest = names.map { #""\#($0)":false"# }.joined(separator: ",")
            body = #"{"passwordLogin":true,"oauth":true,\#(rest)}"#
        case "/api/server/config":
            body =
                #"{"oauthButtonText":"\#(button)","loginPageMessage":"","trashDays":30,"userDeleteDelay":7,"#
                + #""isInitialized":true,"isOnboarded":true,"externalDomain":"","publicUsers":true,"#
                + #""mapDarkStyleUrl":"","mapLightStyleUrl":"","maintenanceMode":false}"#
        case "/api/auth/login":
            return .json(#"{"message":"Incorrect email or password","error":"Unauthorized","statusCode":401}"#, 401)
        default: return .json(#"{"message":"Not Found","error":"Not Found","statusCode":404}"#, 404)
        }
        return .json(body)
    }

}
