// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
public import LatchKit
import Photos

/// Stores complete files in the photo library of the device, in an album.
///
/// Source: DL-6, DL-11; https://developer.apple.com/documentation/photos/phassetcreationrequest
public struct PhotosSaver: Sendable {
    /// The title of the album.
    public let album: String

    /// Creates a saver.
    ///
    /// - Parameter album: The title of the album. Default: `Immich`.
    public init(album: String = "Immich") { self.album = album }

    /// Asks the person for access to the photo library, once. Reading is needed to find the album.
    ///
    /// - Throws: `LatchError` with the code `fileFailed` when the access is not allowed.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phphotolibrary/requestauthorization(for:handler:)
    public func authorize() async throws(LatchError) {
        guard Self.mayWrite(await PHPhotoLibrary.requestAuthorization(for: .readWrite)) else {
            throw LatchError(
                .fileFailed,
                "The pictures could not be stored in Photos: allow the access in Settings, Privacy, Photos.")
        }
    }

    /// Stores an asset, and moves its files.
    ///
    /// - Throws: `LatchError` with the code `fileFailed`. Nothing of the asset is stored then.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phphotolibrary/performchanges(_:completionhandler:)
    public func save(_ asset: PhotosAsset) async throws {
        let album = album
        do {
            try await PHPhotoLibrary.shared().performChanges { @Sendable in
                guard let created = Self.creationRequest(for: asset).placeholderForCreatedAsset else { return }
                Self.changeRequest(for: album)?.addAssets([created] as NSArray)
            }
        } catch {
            throw LatchError(
                .fileFailed, "The picture could not be stored in Photos. Check the free space, and try again.",
                cause: error)
        }
    }

    /// Returns the request that stores an asset. Called within a change block.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phassetcreationrequest/addresource(with:fileurl:options:)
    private static func creationRequest(for asset: PhotosAsset) -> PHAssetCreationRequest {
        let request = PHAssetCreationRequest.forAsset()
        request.creationDate = asset.taken ?? request.creationDate
        for resource in asset.resources {
            request.addResource(with: resource.type, fileURL: resource.file, options: options(for: resource.file))
        }
        return request
    }

    /// Returns the options of a file: it keeps its name, and is moved instead of copied.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phassetresourcecreationoptions
    static func options(for file: URL) -> PHAssetResourceCreationOptions {
        let options = PHAssetResourceCreationOptions()
        options.originalFilename = file.lastPathComponent
        options.shouldMoveFile = true
        return options
    }

    /// Returns the request that adds to the album, which is created when there is none. Called within a change block.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phassetcollectionchangerequest
    private static func changeRequest(for title: String) -> PHAssetCollectionChangeRequest? {
        let albums = PHAssetCollection.fetchAssetCollections(with: .album, subtype: .albumRegular, options: nil)
        for index in 0..<albums.count where albums.object(at: index).localizedTitle == title {
            return PHAssetCollectionChangeRequest(for: albums.object(at: index))
        }
        return .creationRequestForAssetCollection(withTitle: title)
    }

    /// Source: https://developer.apple.com/documentation/photos/phauthorizationstatus
    static func mayWrite(_ status: PHAuthorizationStatus) -> Bool { status == .authorized || status == .limited }
}
