internal import Basics

/// The next step of an upload.
enum UploadStep: Sendable, Equatable {
  /// Requests the offset of the upload.
  case ask
  /// Sends a piece.
  case send(from: Int64, count: Int)
  /// Waits for a number of milliseconds, and then requests the offset.
  case wait(Int64)
  case complete
  case fail(ParleyError)
}

/// The meaning of a response to a request about an upload.
enum UploadAnswer: Sendable, Equatable {
  /// The number of bytes that the server has.
  case offset(Int64)
  /// Another attempt may succeed, after a number of milliseconds if the server sent one.
  case failed(ParleyError, retryAfter: Int64?)
  /// No attempt will succeed.
  case refused(ParleyError)
}

/// The control of an upload: sends pieces of growing length, and requests the offset after a
/// failure.
///
/// Times are milliseconds of any monotonic clock.
struct UploadCourse: Sendable {
  private static let smallestPiece = 65_536
  private static let largestPiece = 8_388_608
  /// A slower piece is followed by a shorter one; a piece that took half this time by a longer one.
  private static let pieceTime: Int64 = 1_000

  let size: Int64
  /// The time without progress after which a failure is final.
  let patience: Int64
  /// The number of bytes that the server has.
  private(set) var offset: Int64 = 0
  private var pieceLength = 262_144
  private var failures = 0
  private var progressAt: Int64
  private let backoff = Backoff(first: 250, limit: 5_000, jitter: .equal)

  init(size: Int64, patience: Int64, at now: Int64) {
    self.size = size
    self.patience = patience
    progressAt = now
  }

  /// Returns the next piece, or the end.
  var next: UploadStep {
    guard offset < size else { return .complete }
    return .send(from: offset, count: Int(min(Int64(pieceLength), size - offset)))
  }

  /// Handles the response to a request for the offset.
  mutating func didAsk(_ answer: UploadAnswer, at now: Int64, random: UInt64) -> UploadStep {
    switch answer {
    case .offset(let offset):
      guard let failure = take(offset, at: now) else { return next }
      return .fail(failure)
    case .failed(let error, let wait): return failed(error, wait, at: now, random: random)
    case .refused(let error): return .fail(error)
    }
  }

  /// Handles the response to a piece.
  ///
  /// - Parameter duration: The time from the first byte of the piece to the response.
  mutating func didSend(
    _ answer: UploadAnswer, in duration: Int64, at now: Int64, random: UInt64
  ) -> UploadStep {
    switch answer {
    case .offset(let reached):
      let before = offset
      if let failure = take(reached, at: now) { return .fail(failure) }
      guard reached > before else {
        return failed(.timedOut, nil, at: now, random: random)
      }
      adapt(to: duration)
      return next
    case .failed(let error, let wait):
      pieceLength = max(Self.smallestPiece, pieceLength / 2)
      return failed(error, wait, at: now, random: random)
    case .refused(let error): return .fail(error)
    }
  }

  /// Continues from the server's offset, which may be lower than before, as after a power failure.
  private mutating func take(_ reached: Int64, at now: Int64) -> ParleyError? {
    guard (0...size).contains(reached) else {
      return .malformedAnswer("an upload of \(size) bytes stands at \(reached)")
    }
    if reached > offset { (failures, progressAt) = (0, now) }
    offset = reached
    return nil
  }

  private mutating func failed(
    _ error: ParleyError, _ wait: Int64?, at now: Int64, random: UInt64
  ) -> UploadStep {
    guard now - progressAt < patience else { return .fail(error) }
    failures += 1
    return .wait(max(wait ?? 0, backoff.wait(after: failures, random: random)))
  }

  private mutating func adapt(to duration: Int64) {
    if duration > Self.pieceTime {
      pieceLength = max(Self.smallestPiece, pieceLength / 2)
    } else if duration <= Self.pieceTime / 2 {
      pieceLength = min(Self.largestPiece, pieceLength * 2)
    }
  }
}
