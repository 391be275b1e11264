internal import DequeModule

/// The messages for one server, packed into numbered frames and kept until they are confirmed.
///
/// A payload is a sequence of pieces, each with a byte that says whether its message continues in
/// the next piece, its length in four bytes, and its bytes. A message that does not fit is split.
struct OutgoingStream {
  private struct Kept {
    let payload: [UInt8]
    let time: Int64
  }

  static let pieceOverhead = 5
  /// Bytes of a frame without its payload.
  private static let frameCost = 64

  private let payloadLimit: Int
  private var kept: Deque<Kept> = []
  /// The payload that is being assembled.
  private var gathered: [UInt8] = []
  private var gatheredSince: Int64 = 0
  private(set) var byteCount = 0
  /// The number up to which frames have been confirmed, and are no longer kept.
  private(set) var confirmed: UInt64 = 0
  /// The highest number that was transmitted.
  private(set) var sent: UInt64 = 0

  /// - Parameter payloadLimit: The maximum size of a payload; at least the size of a piece.
  init(payloadLimit: Int) {
    self.payloadLimit = max(payloadLimit, Self.pieceOverhead + 1)
  }

  /// The time of the oldest unconfirmed message.
  var oldest: Int64? { kept.first?.time ?? (gathered.isEmpty ? nil : gatheredSince) }

  /// Whether a sent frame is unconfirmed.
  var isUnconfirmed: Bool { sent > confirmed }

  /// Whether some data was never sent.
  var hasUnsent: Bool { !gathered.isEmpty || confirmed + UInt64(kept.count) > sent }

  /// Adds a message after all others.
  mutating func append(_ message: [UInt8], at now: Int64) {
    var rest = message[...]
    repeat {
      let room = payloadLimit - gathered.count - Self.pieceOverhead
      // A piece of a few bytes at the end of a frame is not worth its header.
      if room < min(rest.count, 64), !gathered.isEmpty {
        seal()
        continue
      }
      if gathered.isEmpty { gatheredSince = now }
      let piece = rest.prefix(room)
      rest = rest.dropFirst(piece.count)
      gathered.append(rest.isEmpty ? 0 : 1)
      withUnsafeBytes(of: UInt32(piece.count).littleEndian) { gathered.append(contentsOf: $0) }
      gathered.append(contentsOf: piece)
      byteCount += piece.count + Self.pieceOverhead
      if rest.isEmpty { return }
    } while true
  }

  /// Takes the next frame that was never sent, the unfinished one last.
  mutating func takeUnsent() -> (number: UInt64, payload: [UInt8])? {
    if confirmed + UInt64(kept.count) == sent { seal() }
    guard confirmed + UInt64(kept.count) > sent else { return nil }
    sent += 1
    return (sent, kept[Int(sent - confirmed) - 1].payload)
  }

  /// The payload of a sent frame, while it is kept.
  func payload(of number: UInt64) -> [UInt8]? {
    number > confirmed && number <= sent ? kept[Int(number - confirmed) - 1].payload : nil
  }

  /// Drops confirmed frames.
  ///
  /// - Returns: `false` if nothing new was confirmed.
  mutating func confirm(through number: UInt64) -> Bool {
    guard number > confirmed, number <= sent else { return false }
    for _ in confirmed..<number {
      guard let frame = kept.popFirst() else { break }
      byteCount -= frame.payload.count + Self.frameCost
    }
    confirmed = number
    return true
  }

  private mutating func seal() {
    guard !gathered.isEmpty else { return }
    kept.append(Kept(payload: gathered, time: gatheredSince))
    byteCount += Self.frameCost
    gathered = []
  }
}
