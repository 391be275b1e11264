import ParleyProtocol
import Testing
import Uploads

@Suite("Addresses of thumbnails")
struct ThumbnailAddressTests {
  @Test(
    "an address is below that of the file, with the extension of the thumbnail's type",
    arguments: [
      ("https://a/files/5f/plan.png", "image/jpeg", "https://a/files/5f/t/9x8/plan.jpg"),
      ("https://a/files/5f/plan.tar.gz", "image/png", "https://a/files/5f/t/9x8/plan.tar.png"),
      ("https://a/b/files/5f/plan", "image/png", "https://a/b/files/5f/t/9x8/plan.png"),
      ("https://a/files/5f/.png", "image/png", "https://a/files/5f/t/9x8/file.png"),
      ("https://a/files/5f/", "image/jpeg", "https://a/files/5f/t/9x8/file.jpg"),
    ])
  func follows(url: String, type: String, expected: String) {
    let bounds = ThumbnailSize(maxWidth: 9, maxHeight: 8)
    let address = ThumbnailAddress(of: url, fileID: "5f")
    #expect(address.url(within: bounds, type: type) == expected)
  }

  @Test("sizes are parsed as they are written, and no other form is")
  func readsSizes() {
    #expect([ThumbnailSize](list: "9x8,10x10")?.list == "9x8,10x10")
    for text in ["9", "9x", "x9", "09x9", "9x-9", "9x9x9", " 9x9"] {
      #expect(ThumbnailSize(text) == nil)
    }
  }

  @Test("sizes not made are missing, each once, unless none can be made")
  func namesMissing() {
    let (small, large) = (
      ThumbnailSize(maxWidth: 1, maxHeight: 1), ThumbnailSize(maxWidth: 2, maxHeight: 2)
    )
    var known = FileThumbnails(made: [
      FileThumbnail(
        bounds: small, contentID: "c", type: "image/png", size: 1, width: 1, height: 1)
    ])
    #expect(known.missing(of: [large, small, large]) == [large])
    known.failure = "failed"
    #expect(known.missing(of: [large]) == [])
  }
}
