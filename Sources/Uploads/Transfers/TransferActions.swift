package import ParleyProtocol

/// A time on two clocks.
package struct TransferMoment: Sendable, Hashable {
  /// Unix milliseconds.
  package var unix: Int64
  /// Milliseconds of a monotonic clock.
  package var steady: Int64

  package init(unix: Int64, steady: Int64) {
    self.unix = unix
    self.steady = steady
  }
}

/// An input for a ``Transfer``.
package enum TransferInput: Sendable {
  /// The request head has arrived.
  case begun
  /// The upload with the address; `nil` when there is none.
  case found(UploadRecord?)
  /// The request has the exclusive right to write, under this term.
  case claimed(term: Int64)
  /// The record has changed since it was found.
  case claimTaken
  /// The storage for files is full.
  case noRoom
  /// The user's requests arrive too fast; milliseconds until the next one is accepted.
  case tooFast(retryAfter: Int64)
  /// The file was opened at the offset.
  case opened
  /// Bytes of the body.
  case received(Int)
  /// The file has written bytes.
  case written(Int)
  case bodyEnded
  /// The rest of the body will not arrive.
  case bodyCut
  /// Whether the digest of the piece is the announced one.
  case digest(matches: Bool)
  /// The piece was removed from the file.
  case dropped
  /// All bytes before an offset are durable, including at least those written when
  /// ``TransferAction/synchronize`` was requested.
  case synchronized(at: Int64)
  /// The store has recorded the offset.
  case recorded(Int64)
  /// The file is complete, under its id, and on disk.
  case completed
  /// The store has recorded that the upload is complete, and keeps the file until a time, in Unix
  /// milliseconds, if no message has it.
  case finished(expiresAt: Int64)
  /// Some time has passed, at most ``Transfer/tickInterval``.
  case ticked
  /// Whether the claim was still valid and has been renewed.
  case renewed(Bool)
  /// The claim is no longer valid.
  case lost
  /// The upload was cancelled.
  case cancelled
  case failed(PartialFileFailure)
  case storeFailed
  /// The keys of an encrypted file cannot be used, for the given reason.
  case keysFailed(ServiceError)
}

/// A failure of the storage for files.
package enum PartialFileFailure: Error, Sendable, Hashable {
  /// The storage is full.
  case full
  /// The file has fewer bytes than the store has recorded.
  case shrunk(to: Int64)
  case storage
}

/// An action that a ``Transfer`` requests from its host.
package enum TransferAction: Sendable, Hashable {
  case find
  /// Claims the upload in its present state, to write from an offset on.
  case claim(UploadRecord, at: Int64)
  case open(UploadRecord, at: Int64)
  /// Keeps the bytes just received in memory.
  case keep
  /// Writes all bytes kept in memory.
  case writeKept
  /// Writes the bytes just received.
  case write
  /// Resumes reading.
  case resume
  /// Compares the digest of the written bytes.
  case verify
  /// Truncates the file.
  case drop(to: Int64)
  /// Makes the bytes written so far durable.
  case synchronize
  case record(Int64, TransferRecord)
  /// Renews the claim.
  case renew
  case complete
  /// Records that the upload is complete.
  case finish
  /// Closes the file.
  case close
  case answer(TransferAnswer)
}

/// The part of a request that ends with a record.
package enum TransferRecord: Sendable, Hashable {
  /// More bytes will follow: the claim is renewed.
  case more
  /// The claim ends with this record.
  case last
}

/// The answer to a request to write.
package enum TransferAnswer: Sendable, Hashable {
  /// The moment when an upload became complete.
  package enum Completion: Sendable, Hashable {
    case now
    case before
  }

  case complete(UploadRecord, Completion)
  /// The upload is at this offset.
  case progress(Int64)
  case refused(UploadRefusal)
}
