// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import ImageIO
import LatchKit
import LocalAuthentication
import Network
import Photos
import Testing

@testable import LatchApple

/// The values of the smaller adapters.
struct ValueTests {
    @Test("DL-6 a live photo is one asset of a still image and its paired video")
    func livePhoto() throws {
        let (still, video) = (URL(fileURLWithPath: "/tmp/a.heic"), URL(fileURLWithPath: "/tmp/a.mov"))
        let resources = PhotosAsset(.livePhoto(still: still, video: video)).resources
        #expect(resources.map(\.type) == [.photo, .pairedVideo])
        #expect(resources.map(\.file) == [still, video])
        let options = PhotosSaver.options(for: still)
        #expect(options.originalFilename == "a.heic" && options.shouldMoveFile)
        #expect(PhotosAsset(.image(still)).resources.map(\.type) == [.photo])
        #expect(PhotosAsset(.video(video)).resources.map(\.type) == [.video])
    }

    @Test(
        "DL-1 a picture is decoded to the size that is shown, turned as its file says, and not from an embedded thumbnail"
    )
    func image() {
        let options = EncodedImage([0xFF, 0xD8, 0xFF], side: 264).options
        #expect(options[kCGImageSourceThumbnailMaxPixelSize as String] as? Int == 264)
        #expect(options[kCGImageSourceCreateThumbnailFromImageAlways as String] as? Bool == true)
        #expect(options[kCGImageSourceCreateThumbnailWithTransform as String] as? Bool == true)
    }

    @Test(
        "DL-11 DL-13 pictures are stored when the person allows it",
        arguments: [
            (PHAuthorizationStatus.authorized, true), (.limited, true), (.denied, false), (.notDetermined, false),
        ])
    func permission(status: PHAuthorizationStatus, mayWrite: Bool) {
        #expect(PhotosSaver.mayWrite(status) == mayWrite)
    }

    @Test(
        "IM-15 a refused, an unanswered and an impossible authentication are told apart",
        arguments: [
            (LAError.Code.authenticationFailed, LatchError.Code.systemAuthenticationDenied),
            (.biometryLockout, .systemAuthenticationDenied), (.userCancel, .systemAuthenticationUnanswered),
            (.systemCancel, .systemAuthenticationUnanswered), (.passcodeNotSet, .systemAuthenticationUnavailable),
        ])
    func authentication(code: LAError.Code, expected: LatchError.Code) {
        #expect((DeviceOwnerAuthentication.error(for: code) as? LatchError)?.code == expected)
    }

    @Test("IM-15 a cancelled question is a cancellation")
    func cancelled() {
        #expect(DeviceOwnerAuthentication.error(for: .appCancel) is CancellationError)
    }

    @Test(
        "IM-13 DL-17 a network is connected when a path is satisfied, and metered when it is expensive or constrained")
    func network() {
        let paths = [
            NetworkPaths.state(.satisfied, isExpensive: false, isConstrained: false),
            NetworkPaths.state(.satisfied, isExpensive: true, isConstrained: false),
            NetworkPaths.state(.satisfied, isExpensive: false, isConstrained: true),
            NetworkPaths.state(.requiresConnection, isExpensive: false, isConstrained: false),
        ]
        #expect(paths.map(\.isConnected) == [true, true, true, false])
        #expect(paths.map(\.isMetered) == [false, true, true, false])
        #expect(paths.allSatisfy { $0.wifiName == nil })
    }
}
