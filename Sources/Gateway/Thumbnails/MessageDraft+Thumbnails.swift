import ParleyProtocol
import Uploads

extension MessageDraft {
  /// Adds the known thumbnails to the file.
  ///
  /// The request is kept if some are missing and can be made.
  ///
  /// A message without requested sizes has those that its upload was created with.
  ///
  /// - Parameter canBeMade: Whether missing thumbnails can be made.
  mutating func takeThumbnails(of record: UploadRecord, canBeMade: Bool) {
    let sizes = thumbnailSizes ?? record.thumbnailSizes
    thumbnailSizes = nil
    guard let file, !sizes.isEmpty else { return }
    self.file?.thumbnails = record.thumbnails.shown(sizes, of: file)
    if canBeMade, !record.thumbnails.missing(of: sizes).isEmpty { thumbnailSizes = sizes }
  }
}

extension FileThumbnails {
  /// The existing thumbnails of some sizes, in the order of the sizes, as shown in a message.
  func shown(_ sizes: [ThumbnailSize], of file: MessageFile) -> [MessageThumbnail] {
    let address = ThumbnailAddress(of: file.url, fileID: file.id)
    return sizes.compactMap { thumbnail(within: $0) }.map { found in
      MessageThumbnail(
        url: address.url(within: found.bounds, type: found.type), type: found.type,
        size: found.size, bounds: found.bounds, width: found.width, height: found.height)
    }
  }
}
