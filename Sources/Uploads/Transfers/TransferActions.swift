package import ParleyProtocol

/// A time by two clocks.
package struct TransferMoment: Sendable, Hashable {
  /// Unix milliseconds.
  package var unix: Int64
  /// Milliseconds of a clock that never jumps.
  package var steady: Int64

  package init(unix: Int64, steady: Int64) {
    self.unix = unix
    self.steady = steady
  }
}

/// A message to a ``Transfer``.
package enum TransferInput: Sendable {
  /// The head has come.
  case begun
  /// The upload of the address; `nil` when there is none.
  case found(UploadRecord?)
  /// The request alone may write, under this term.
  case claimed(term: Int64)
  /// The record has changed since it was found.
  case claimTaken
  /// The files of all users leave no room.
  case noRoom
  /// The user's requests come too fast; milliseconds until the next may come.
  case tooFast(retryAfter: Int64)
  /// The file stands at the offset.
  case opened
  /// Bytes of the body.
  case received(Int)
  /// The file has taken bytes.
  case written(Int)
  case bodyEnded
  /// The rest of the body does not come.
  case bodyCut
  /// Whether the piece has the digest that was promised.
  case digest(matches: Bool)
  /// The piece is off the file.
  case dropped
  /// All that lies before an offset is durable, and at least what was written when
  /// ``TransferAction/synchronize`` was asked for.
  case synchronized(at: Int64)
  /// The store has the offset.
  case recorded(Int64)
  /// The file is whole, under its id, and on disk.
  case completed
  /// The store knows that the upload is complete, and keeps the file until a moment, in Unix
  /// milliseconds, if no message has it.
  case finished(expiresAt: Int64)
  /// Some time has passed, ``Transfer/tickInterval`` at most.
  case ticked
  /// Whether the claim still held, and is prolonged.
  case renewed(Bool)
  /// The claim does not hold any more.
  case lost
  /// The upload was cancelled.
  case cancelled
  case failed(PartialFileFailure)
  case storeFailed
  /// The keys of an encrypted file cannot be used, for a reason.
  case keysFailed(ServiceError)
}

/// A failure of the place of files.
package enum PartialFileFailure: Error, Sendable, Hashable {
  /// No room.
  case full
  /// The file has fewer bytes than the store knew.
  case shrunk(to: Int64)
  case storage
}

/// An action that a ``Transfer`` asks of its host.
package enum TransferAction: Sendable, Hashable {
  case find
  /// Claims the upload as it was found, to write from an offset on.
  case claim(UploadRecord, at: Int64)
  case open(UploadRecord, at: Int64)
  /// Keeps the bytes that were just received.
  case keep
  /// Writes all that was kept.
  case writeKept
  /// Writes the bytes that were just received.
  case write
  /// Reads on.
  case resume
  /// Compares the digest of what was written.
  case verify
  /// Shortens the file.
  case drop(to: Int64)
  /// Makes what was written so far durable.
  case synchronize
  case record(Int64, TransferRecord)
  /// Prolongs the claim.
  case renew
  case complete
  /// Records that the upload is complete.
  case finish
  /// Lets go of the file.
  case close
  case answer(TransferAnswer)
}

/// The part of a request that a record ends.
package enum TransferRecord: Sendable, Hashable {
  /// More comes: the claim is prolonged.
  case more
  /// The claim ends.
  case last
}

/// The answer to a request that writes.
package enum TransferAnswer: Sendable, Hashable {
  /// The moment at which an upload became complete.
  package enum Completion: Sendable, Hashable {
    case now
    case before
  }

  case complete(UploadRecord, Completion)
  /// The upload stands at this offset.
  case progress(Int64)
  case refused(UploadRefusal)
}
