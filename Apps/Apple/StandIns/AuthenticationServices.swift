// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// `UIWindow` or `NSWindow`, which belong to the main actor.
///
/// Source: https://developer.apple.com/documentation/authenticationservices/aspresentationanchor
@MainActor public class ASPresentationAnchor: NSObject {}

// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
public class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public class Callback: NSObject {
        public class func customScheme(_ customScheme: String) -> Callback { Callback() }
    }

    public var prefersEphemeralWebBrowserSession = false
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
    @discardableResult public func start() -> Bool { false }
    public func cancel() {}
}

// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror-swift.struct
public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1, presentationContextNotProvided, presentationContextInvalid
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }
}
