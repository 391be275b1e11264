package import ParleyProtocol

/// The addresses of a file's thumbnails, which are below that of the file:
/// `…/files/{file_id}/t/100x100/plan.jpg`.
package struct ThumbnailAddress: Sendable {
  /// The address up to the file's id.
  private let base: Substring
  private let name: Substring

  /// - Parameter url: The address of the file, `…/files/{file_id}/{name}`.
  package init(of url: String, fileID: String) {
    let mark = "/files/\(fileID)/"
    guard let place = url.firstRange(of: mark) else {
      (base, name) = (url[...], "file")
      return
    }
    base = url[..<url.index(before: place.upperBound)]
    let last = url[place.upperBound...]
    let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
    name = stem.isEmpty ? "file" : stem
  }

  /// The address of one thumbnail.
  ///
  /// - Parameter type: Its media type.
  package func url(within bounds: ThumbnailSize, type: String) -> String {
    "\(base)/t/\(bounds)/\(name).\(type == "image/png" ? "png" : "jpg")"
  }
}
