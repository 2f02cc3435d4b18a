// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import Foundation
public import LatchKit

extension ServerAddress {
    /// Returns the address in the property list of a bundle, `API_BASE_URL`, or the default address.
    ///
    /// - Throws: `LatchError` with the code `invalidAddress` when the value is not an address.
    ///
    /// Source: TT-10; https://developer.apple.com/documentation/foundation/bundle/infodictionary
    public static func configured(in bundle: Bundle) throws(LatchError) -> ServerAddress {
        try configured(in: bundle.infoDictionary?.compactMapValues { $0 as? String } ?? [:])
    }
}
