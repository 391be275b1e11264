import ParleyProtocol
import Uploads

extension MessageDraft {
  /// Gives the file the thumbnails that are wished for, if all are known; else the wish stays.
  ///
  /// Without a wish of its own, a message has those that its upload was created with.
  ///
  /// - Parameter canBeMade: Whether those that are not known can be made.
  mutating func takeThumbnails(of record: UploadRecord, canBeMade: Bool) {
    let sizes = thumbnailSizes ?? record.thumbnailSizes
    thumbnailSizes = nil
    guard let file, !sizes.isEmpty else { return }
    self.file?.thumbnails = record.thumbnails.shown(sizes, of: file)
    if canBeMade, !record.thumbnails.missing(of: sizes).isEmpty { thumbnailSizes = sizes }
  }
}

extension FileThumbnails {
  /// Those of some sizes that were made, in the order of the sizes, as a message with the file shows them.
  func shown(_ sizes: [ThumbnailSize], of file: MessageFile) -> [MessageThumbnail] {
    let address = ThumbnailAddress(of: file.url, fileID: file.id)
    return sizes.compactMap { thumbnail(within: $0) }.map { found in
      MessageThumbnail(
        url: address.url(within: found.bounds, type: found.type), type: found.type,
        size: found.size, bounds: found.bounds, width: found.width, height: found.height)
    }
  }
}
