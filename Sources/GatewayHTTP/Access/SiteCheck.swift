package import GatewayCore
import HTTPMessages
package import HTTPServer

/// Refuses requests that a page of another origin makes a browser send, before they count for anything, and says what
/// the accepted ones count for.
///
/// Such a page can send forms, and load the address of a route as a picture, without the visitor noticing. Failed
/// sign-ins would lock the visitor's account and address, and abandoned ones would use up what the address may begin.
/// Most programs other than browsers send none of the fields that are read here. Two kinds of requests are of programs
/// although they name an origin:
///
/// - Those with an origin that is no web page, such as `tauri://localhost` or `moz-extension://…`: of an app or an
///   extension, which somebody has installed. Browsers give a sandboxed page, a local file or a `data:` address the
///   origin `null`, which is that of a page here. Nothing is changed with a cookie because of this: what changes
///   something with a cookie must name a page of this server, see ``SessionCookie/comesFromOwnPage(_:)``. Browsers add
///   no cookie with `SameSite=Lax` to the requests of an extension, unless the person has let it read this host.
/// - Those with a token in `Authorization`, with the scheme `Bearer` or `DPoP`, and without a cookie, such as of an app
///   at `http://tauri.localhost`. No browser adds such a field itself, and none lets a page add it before the server
///   has allowed that, which only the routes of ``Scope/scripts`` do. `Basic` is different: browsers repeat by
///   themselves what a person has typed, also for a picture of another site's page.
///
/// A browser over plain `http` sends no `Sec-Fetch-Site`, and no `Origin` with a picture: that request is not recognized.
///
/// Source: W3C Fetch Metadata §2; RFC 6454 §7; Fetch §3.3.
package struct SiteCheck: Sendable {
    /// What a page of another origin may make a browser send to a route.
    package enum Scope: Sendable {
        /// Only `GET` and `HEAD`, as the address of a page that the browser shows.
        case pages
        /// The same with every method, for a form that sends the browser here, as identity providers do.
        case forms
        /// The same also in a frame, where applications ask whether somebody is signed in.
        case documents
        /// As ``pages``, and what scripts send (`fetch`, `sendBeacon`), with every method. Over plain `http` the rest
        /// that names an origin cannot be told from that.
        case scripts
        /// Everything: the route is for pages of other origins and counts nothing, or checks their requests itself.
        case everything
    }

    private let address: PublicAddress

    /// Creates the check of a server with this address.
    package init(_ address: PublicAddress) {
        self.address = address
    }

    /// Whether a route with the scope may handle a request.
    package func allows(_ request: ServerRequest, for scope: Scope) -> Bool {
        guard scope != .everything else { return true }
        // A page can make the browser load an address before anybody opens it, and then no site is named.
        if request.headers["Sec-Purpose"] != nil { return false }
        guard isOfOtherPage(request), !Self.hasToken(request) else { return true }
        let mode = request.headers["Sec-Fetch-Mode"]
        if scope == .scripts, mode != "navigate", request.headers["Sec-Fetch-Dest"] ?? "empty" == "empty" {
            return true
        }
        if scope == .pages || scope == .scripts {
            guard [.get, .head].contains(request.method) else { return false }
            // Only scripts send an origin with these methods.
            guard request.headers["Origin"] == nil || request.headers["Sec-Fetch-Site"] != nil else { return false }
        }
        guard mode == nil || mode == "navigate" else { return false }
        switch request.headers["Sec-Fetch-Dest"] {
        case nil, "document": return true
        case "iframe", "frame": return scope == .documents
        default: return false
        }
    }

    /// Returns the limit that a request counts for: `kind`, or ``RequestLimits/Kind/otherPages`` if `kind` is one that
    /// everybody at an address shares and a page of another origin sent the request without sending its tab here. So
    /// such a page uses up nothing that people and programs at its visitor's address need.
    package func kind(_ kind: RequestLimits.Kind, of request: ServerRequest) -> RequestLimits.Kind {
        switch kind {
        case .address, .authentication, .proof:
            isOfOtherPage(request) && !Self.isOfTab(request) ? .otherPages : kind
        default: kind
        }
    }

    /// Whether a page of another origin made a browser send a request.
    private func isOfOtherPage(_ request: ServerRequest) -> Bool {
        let origins = request.headers.values("Origin")
        if !origins.isEmpty, origins.allSatisfy(Self.isProgram) { return false }
        switch request.headers["Sec-Fetch-Site"] {
        case "same-origin", "none": return false
        case nil: return !origins.isEmpty && !(origins.count == 1 && address.isOrigin(origins[0], of: request))
        default: return true
        }
    }

    /// Whether the browser says that it shows the response in its tab.
    private static func isOfTab(_ request: ServerRequest) -> Bool {
        request.headers["Sec-Fetch-Site"] != nil
            && request.headers["Sec-Fetch-Mode"].map { $0 == "navigate" } ?? true
            && request.headers["Sec-Fetch-Dest"].map { $0 == "document" } ?? true
    }

    /// Whether an origin is that of an app or an extension: its scheme is neither `http` nor `https`. The opaque origin
    /// `null` has no scheme.
    private static func isProgram(_ origin: String) -> Bool {
        let bytes = origin.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return false
        }
        let scheme = bytes[..<colon]
        // Browsers write schemes in small letters.
        guard
            scheme.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
                    UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return false }
        return !scheme.isEmpty && !scheme.elementsEqual("http".utf8) && !scheme.elementsEqual("https".utf8)
    }

    /// Whether a request has a token that no page of another origin can make a browser send, and no cookie.
    private static func hasToken(_ request: ServerRequest) -> Bool {
        request.headers["Cookie"] == nil && RequestTokens(request, cookie: nil).bearer != nil
    }
}
