/// The frames from one server, put in order, and the messages in them.
struct IncomingStream {
  /// The reason why a stream cannot continue: its sender violates the protocol.
  enum Violation: Error {
    case malformedPayload
    case oversizedMessage
  }

  /// The maximum number of frames that are held until earlier ones arrive.
  private static let heldFrameLimit = 4_096

  private let messageLimit: Int
  /// The number up to which all frames have arrived.
  private(set) var received: UInt64 = 0
  /// The highest number that the sender has announced.
  private(set) var highest: UInt64 = 0
  private var held: [UInt64: [UInt8]] = [:]
  private var heldByteCount = 0
  /// The pieces of an incomplete message.
  private var unfinished: [UInt8] = []

  /// - Parameter messageLimit: The maximum size of a message, and of all held frames.
  init(messageLimit: Int) {
    self.messageLimit = messageLimit
  }

  /// Whether a frame is known to be missing.
  var hasGaps: Bool { highest > received }

  /// Whether a sender can be this far ahead: it keeps only ``LinkLimits/keptBytes``.
  func canReach(_ number: UInt64) -> Bool { number <= received || number - received <= 1 << 20 }

  /// Records the highest number that was sent.
  mutating func note(sent number: UInt64) { highest = max(highest, number) }

  /// Takes a frame and appends the messages that it completes.
  ///
  /// - Returns: `false` for a frame that has already arrived.
  mutating func take(
    _ payload: [UInt8], number: UInt64, into messages: inout [[UInt8]]
  ) throws(Violation) -> Bool {
    guard number > received, held[number] == nil else { return false }
    note(sent: number)
    guard number == received + 1 else {
      // A frame beyond the limit is dropped, and requested again later.
      if held.count < Self.heldFrameLimit, heldByteCount + payload.count <= messageLimit {
        held[number] = payload
        heldByteCount += payload.count
      }
      return true
    }
    try open(payload, into: &messages)
    received = number
    while !held.isEmpty, let next = held.removeValue(forKey: received + 1) {
      heldByteCount -= next.count
      try open(next, into: &messages)
      received += 1
    }
    return true
  }

  /// The first numbers that are missing.
  func gaps(limit: Int) -> [ClosedRange<UInt64>] {
    var gaps: [ClosedRange<UInt64>] = []
    var next = received + 1
    for number in held.keys.sorted() where gaps.count < limit {
      if number > next { gaps.append(next...(number - 1)) }
      next = number + 1
    }
    if next <= highest, gaps.count < limit { gaps.append(next...highest) }
    return gaps
  }

  private mutating func open(
    _ payload: [UInt8], into messages: inout [[UInt8]]
  ) throws(Violation) {
    var position = 0
    while position < payload.count {
      let start = position + OutgoingStream.pieceOverhead
      guard start <= payload.count, payload[position] <= 1 else { throw .malformedPayload }
      var length = 0
      for index in 1...4 { length |= Int(payload[position + index]) << ((index - 1) * 8) }
      guard length <= payload.count - start else { throw .malformedPayload }
      guard unfinished.count + length <= messageLimit else { throw .oversizedMessage }
      let isWhole = payload[position] == 0
      position = start + length
      if isWhole, unfinished.isEmpty {
        messages.append(Array(payload[start..<position]))
      } else {
        unfinished.append(contentsOf: payload[start..<position])
        if isWhole {
          messages.append(unfinished)
          unfinished = []
        }
      }
    }
  }
}
