package import ParleyProtocol

/// A file that a user uploads or has uploaded, as the store knows it.
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
  /// For people; not a path.
  package var name: String
  /// The media type that the user gave; empty when none was given.
  package var type: String
  /// Bytes of the whole file.
  package var size: Int64
  /// Bytes that are durable, from the first on.
  package var offset: Int64
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, the first moment at which the upload, or a file in no message, is gone.
  package var expiresAt: Int64
  /// Counts the requests that have begun to write.
  package var term: Int64
  /// Unix milliseconds until which the request of this term is the only one that may write; 0 when
  /// none writes.
  package var claimedUntil: Int64
  /// The base of its addresses that the creating request named; empty without one.
  package var base: String
  /// The parameters of the message to be sent when the upload is complete, as JSON; `nil` for none.
  package var message: String?
  /// The thumbnails that are made when the upload is complete.
  package var thumbnailSizes: [ThumbnailSize]
  /// The thumbnails of a complete file.
  package var thumbnails = FileThumbnails()
  /// The message that was sent when the upload was complete.
  package var messageID: Int64?
  /// The result of sending that message, as JSON.
  package var messageResult: String?
  /// The reason why that message was not sent, as JSON.
  package var messageError: String?
  /// `nil` for a file that is stored in the clear.
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

/// The keys of an upload that is stored encrypted, wrapped with a master key, and what waits of it.
package struct UploadSeal: Sendable, Hashable {
  /// The id of the master key; empty until the first request writes.
  package var masterKeyID: String
  /// The keys of the file.
  package var keys: [UInt8]
  /// The key of the bytes that fill no chunk.
  package var tailKey: [UInt8]
  /// The bytes before the offset that fill no chunk, encrypted.
  package var tail: [UInt8]?
  /// Whether chunks may have been sealed beyond the offset with the last of the keys.
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

/// The state of an upload as clients see it.
package enum UploadStatus: String, Sendable, CaseIterable {
  /// Nothing has come.
  case waiting
  case uploading
  case complete
  case cancelled
  /// Too old to go on; clients are answered as if it did not exist.
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

  /// Whether a request writes to it.
  ///
  /// A claim that would end later than one given now is from before the clock was set back: its request
  /// prolongs it soon, or is gone.
  private func isClaimed(at now: Int64) -> Bool {
    claimedUntil > now && claimedUntil - now <= TransferClaim.duration + Self.clockTolerance
  }

  /// Milliseconds by which the clocks of two servers may differ.
  private static let clockTolerance: Int64 = 5_000

  /// Decides on a request to write.
  ///
  /// A complete upload, a cancelled one and one of a user who is gone take nothing; then one request
  /// writes at a time; then the request must continue where the upload stands, within its length.
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
  /// The whole file is there already.
  case complete
  case refused(UploadRefusal)
}
