import LatchDownloads
import Testing

@Suite struct DownloadTaskTests {
    @Test("DL-5 the groups have the names that Immich's apps use")
    func groups() {
        #expect(DownloadGroup.image.rawValue == "group_image" && DownloadGroup.video.rawValue == "group_video")
        #expect(DownloadGroup.livePhoto.rawValue == "group_livephoto")
    }

    @Test("DL-10 six at once, six per host, three per group; DL-14 three retries")
    func limits() {
        let settings = DownloadSettings()
        #expect([settings.maximum, settings.maximumPerHost, settings.maximumPerGroup] == [6, 6, 3])
        #expect(settings.retries == 3)
    }
}
