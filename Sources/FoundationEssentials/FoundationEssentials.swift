// Only for Apple systems: see Package.swift.
@_exported public import Foundation
