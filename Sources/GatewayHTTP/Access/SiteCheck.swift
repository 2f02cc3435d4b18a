package import GatewayCore
import HTTPMessages
package import HTTPServer

/// Refuses requests that a page of another origin makes a browser send, before they count for anything.
///
/// Such a page can send forms, and load the address of a route as a picture, without the visitor noticing. Failed
/// sign-ins would lock the visitor's account and address, and abandoned ones would use up what the address may begin.
/// Programs other than browsers send none of the fields that are read here.
///
/// A browser over plain `http` sends no `Sec-Fetch-Site`, and no `Origin` with a picture: that request is not recognized.
///
/// Source: W3C Fetch Metadata §2; RFC 6454 §7.
package struct SiteCheck: Sendable {
    /// What a page of another origin may make a browser send to a route.
    package enum Scope: Sendable {
        /// Only `GET` and `HEAD`, as the address of a page that the browser shows.
        case pages
        /// The same with every method, for a form that sends the browser here, as identity providers do.
        case forms
        /// The same also in a frame, where applications ask whether somebody is signed in.
        case documents
        /// Everything: the route is for pages of other origins, or checks their requests itself.
        case everything
    }

    private let address: PublicAddress

    /// Creates the check of a server with this address.
    package init(_ address: PublicAddress) {
        self.address = address
    }

    /// Whether a route with the scope may handle a request.
    package func allows(_ request: ServerRequest, for scope: Scope) -> Bool {
        let origins = request.headers.values("Origin")
        let site = request.headers["Sec-Fetch-Site"]
        // A page can make the browser load an address before anybody opens it, and then no site is named.
        if scope != .everything, request.headers["Sec-Purpose"] != nil { return false }
        switch site {
        case "same-origin", "none": return true
        case nil where origins.isEmpty || origins.count == 1 && address.isOrigin(origins[0], of: request): return true
        default: break
        }
        switch scope {
        case .everything: return true
        case .forms, .documents: break
        case .pages:
            guard [.get, .head].contains(request.method) else { return false }
            // Only scripts send an origin with these methods.
            guard origins.isEmpty || site != nil else { return false }
        }
        return request.headers["Sec-Fetch-Mode"].map { $0 == "navigate" } ?? true
            && request.headers["Sec-Fetch-Dest"].map { $0 == "document" || scope == .documents } ?? true
    }
}
