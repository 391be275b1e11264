package import ParleyProtocol

/// A file that a user uploads or has uploaded, according to the store.
package struct UploadRecord: Sendable, Hashable {
  /// The stage of an upload in the store.
  package enum Stage: String, Sendable, CaseIterable {
    case open
    case complete
    case cancelled
    case expired
  }

  package var fileID: String
  package var userID: String
  /// Whether the user exists and is not deactivated.
  package var isUserActive: Bool
  package var stage: Stage
  /// For display; not a path.
  package var name: String
  /// The media type that the user gave; empty when none was given.
  package var type: String
  /// The size of the whole file in bytes.
  package var size: Int64
  /// The number of durable bytes, from the first on.
  package var offset: Int64
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, the first moment at which the upload, or a file in no message, no longer exists.
  package var expiresAt: Int64
  /// The number of requests that have begun to write.
  package var term: Int64
  /// Unix milliseconds until which only the request of this term may write; 0 when none is writing.
  package var claimedUntil: Int64
  /// The base of its addresses as named by the creating request; empty without one.
  package var base: String
  /// The parameters of the message to send when the upload is complete, as JSON; `nil` for none.
  package var message: String?
  /// The thumbnails to create when the upload is complete.
  package var thumbnailSizes: [ThumbnailSize]
  /// The thumbnails of a complete file.
  package var thumbnails = FileThumbnails()
  /// The message that was sent when the upload was complete.
  package var messageID: Int64?
  /// The result of sending that message, as JSON.
  package var messageResult: String?
  /// The reason why that message was not sent, as JSON.
  package var messageError: String?
  /// `nil` for a file that is stored unencrypted.
  package var seal: UploadSeal?

  package init(
    fileID: String, userID: String, isUserActive: Bool = true, stage: Stage = .open, name: String,
    type: String, size: Int64, offset: Int64 = 0, createdAt: Int64, expiresAt: Int64,
    term: Int64 = 0, claimedUntil: Int64 = 0, base: String = "", message: String? = nil,
    messageID: Int64? = nil, messageResult: String? = nil, messageError: String? = nil,
    seal: UploadSeal? = nil, thumbnailSizes: [ThumbnailSize] = []
  ) {
    self.thumbnailSizes = thumbnailSizes
    self.fileID = fileID
    self.userID = userID
    self.isUserActive = isUserActive
    self.stage = stage
    self.name = name
    self.type = type
    self.size = size
    self.offset = offset
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.term = term
    self.claimedUntil = claimedUntil
    self.base = base
    self.message = message
    self.messageID = messageID
    self.messageResult = messageResult
    self.messageError = messageError
    self.seal = seal
  }
}

/// The keys of an upload that is stored encrypted, wrapped with a master key, and its unsealed tail.
package struct UploadSeal: Sendable, Hashable {
  /// The id of the master key; empty until the first request writes.
  package var masterKeyID: String
  /// The keys of the file.
  package var keys: [UInt8]
  /// The key of the bytes that do not fill a chunk.
  package var tailKey: [UInt8]
  /// The bytes before the offset that do not fill a chunk, encrypted.
  package var tail: [UInt8]?
  /// Whether chunks after the offset may have been sealed with the last of the keys.
  package var isDirty: Bool

  package init(
    masterKeyID: String = "", keys: [UInt8] = [], tailKey: [UInt8] = [], tail: [UInt8]? = nil,
    isDirty: Bool = false
  ) {
    self.masterKeyID = masterKeyID
    self.keys = keys
    self.tailKey = tailKey
    self.tail = tail
    self.isDirty = isDirty
  }
}

/// The state of an upload as shown to clients.
package enum UploadStatus: String, Sendable, CaseIterable {
  /// No bytes have been received.
  case waiting
  case uploading
  case complete
  case cancelled
  /// Too old to continue; clients are answered as if it did not exist.
  case expired
}

extension UploadRecord {
  /// The state at a time.
  package func status(at now: Int64) -> UploadStatus {
    guard expiresAt > now else { return .expired }
    return switch stage {
    case .expired: .expired
    case .cancelled: .cancelled
    case .complete: .complete
    case .open: offset > 0 || isClaimed(at: now) ? .uploading : .waiting
    }
  }

  /// Whether a request is writing to it.
  ///
  /// A claim that would end later than one given now dates from before the clock was set back: its
  /// request renews it soon, or no longer exists.
  private func isClaimed(at now: Int64) -> Bool {
    claimedUntil > now && claimedUntil - now <= TransferClaim.duration + Self.clockTolerance
  }

  /// Maximum difference between the clocks of two servers in milliseconds.
  private static let clockTolerance: Int64 = 5_000

  /// Decides on a request to write.
  ///
  /// A complete upload, a cancelled one and one of a deleted user accept no writes. Only one request may
  /// write at a time. The request must continue at the upload's offset, within its length.
  package func admission(of request: TransferRequest, at now: Int64) -> TransferAdmission {
    guard isUserActive else { return .refused(.gone) }
    switch status(at: now) {
    case .expired, .cancelled: return .refused(.gone)
    case .complete:
      switch request.extent {
      case .whole: return .complete
      case .piece: return .refused(.offset(size))
      }
    case .waiting, .uploading: break
    }
    guard !isClaimed(at: now) else { return .refused(.locked) }
    switch request.extent {
    case .whole:
      guard let length = request.length, length != size else { return .begin(at: 0) }
      return .refused(
        length > size ? .tooLarge(size) : .incomplete(expected: size, received: length))
    case .piece(let start):
      guard start == offset else { return .refused(.offset(offset)) }
      guard (request.length ?? 0) <= size - start else { return .refused(.tooLarge(size)) }
      return .begin(at: start)
    }
  }
}

/// The decision on a request to write.
package enum TransferAdmission: Sendable, Hashable {
  case begin(at: Int64)
  /// The whole file has been received already.
  case complete
  case refused(UploadRefusal)
}
