// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Source: https://developer.apple.com/documentation/photos/phaccesslevel and phauthorizationstatus
public enum PHAccessLevel: Int, Sendable { case addOnly = 1, readWrite }
public enum PHAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized, limited }

// Source: https://developer.apple.com/documentation/photos/phphotolibrary
public class PHPhotoLibrary: NSObject {
    public class func shared() -> PHPhotoLibrary { PHPhotoLibrary() }
    // The asynchronous forms of `requestAuthorization(for:handler:)` and `performChanges(_:completionHandler:)`.
    public class func requestAuthorization(for accessLevel: PHAccessLevel) async -> PHAuthorizationStatus { .denied }
    public func performChanges(_ changeBlock: @escaping () -> Void) async throws {}
}

// Source: https://developer.apple.com/documentation/photos/phassetresourcetype
public enum PHAssetResourceType: Int, Sendable { case photo = 1, video = 2, pairedVideo = 9 }

// Source: https://developer.apple.com/documentation/photos/phassetresourcecreationoptions
public class PHAssetResourceCreationOptions: NSObject {
    public var originalFilename: String?
    public var shouldMoveFile = false
}

public class PHObject: NSObject {}
public class PHObjectPlaceholder: PHObject {}

// Source: https://developer.apple.com/documentation/photos/phassetchangerequest
public class PHAssetChangeRequest: NSObject {
    public var creationDate: Date?
    public var placeholderForCreatedAsset: PHObjectPlaceholder? { nil }
}

// Source: https://developer.apple.com/documentation/photos/phassetcreationrequest
public class PHAssetCreationRequest: PHAssetChangeRequest {
    public override required init() {}
    public class func forAsset() -> Self { self.init() }
    public func addResource(
        with type: PHAssetResourceType, fileURL: URL, options: PHAssetResourceCreationOptions?
    ) {}
}

// Source: https://developer.apple.com/documentation/photos/phfetchresult
public class PHFetchResult<ObjectType: AnyObject>: NSObject {
    public var count: Int { 0 }
    public func object(at index: Int) -> ObjectType { fatalError("A stand-in has no objects.") }
}
public class PHFetchOptions: NSObject {}

// Source: https://developer.apple.com/documentation/photos/phassetcollection
public enum PHAssetCollectionType: Int, Sendable { case album = 1 }
public enum PHAssetCollectionSubtype: Int, Sendable { case albumRegular = 2 }
public class PHAssetCollection: PHObject {
    public var localizedTitle: String? { nil }
    public class func fetchAssetCollections(
        with type: PHAssetCollectionType, subtype: PHAssetCollectionSubtype, options: PHFetchOptions?
    ) -> PHFetchResult<PHAssetCollection> { PHFetchResult() }
}

/// On Apple systems a protocol of Objective-C, to which `NSArray` conforms.
public typealias NSFastEnumeration = NSArray

// Source: https://developer.apple.com/documentation/photos/phassetcollectionchangerequest
public class PHAssetCollectionChangeRequest: NSObject {
    public override required init() {}
    public convenience init?(for assetCollection: PHAssetCollection) { self.init() }
    public class func creationRequestForAssetCollection(withTitle title: String) -> Self { self.init() }
    public func addAssets(_ assets: NSFastEnumeration) {}
}
