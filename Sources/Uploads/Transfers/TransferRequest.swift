/// A request that writes to an upload, as described by its head.
package struct TransferRequest: Sendable, Hashable {
  /// The part of the file contained in the body.
  package enum Extent: Sendable, Hashable {
    /// `PUT`: the whole file.
    case whole
    /// `PATCH`: the bytes from an offset on.
    case piece(at: Int64)
  }

  package var extent: Extent
  /// The length of the body; `nil` for a chunked body.
  package var length: Int64?
  package var checksum: UploadChecksum?

  package init(_ extent: Extent, length: Int64?, checksum: UploadChecksum? = nil) {
    self.extent = extent
    self.length = length
    self.checksum = checksum
  }

  /// Whether the request has no bytes and leaves an upload unchanged: an upload that has all its bytes
  /// would become complete.
  func changesNothing(of upload: UploadRecord) -> Bool {
    switch extent {
    case .whole: false
    case .piece(let offset): length == 0 && checksum == nil && offset < upload.size
    }
  }

  /// Parses the head of a `PUT`.
  package static func whole(
    _ fields: TusFields, length: Int64?
  ) throws(UploadRefusal) -> TransferRequest {
    TransferRequest(.whole, length: length, checksum: try fields.checksum())
  }

  /// Parses the head of a `PATCH`.
  package static func piece(
    _ fields: TusFields, length: Int64?
  ) throws(UploadRefusal) -> TransferRequest {
    try fields.requireVersion()
    try fields.requirePiece()
    return TransferRequest(
      .piece(at: try fields.offset()), length: length, checksum: try fields.checksum())
  }
}
