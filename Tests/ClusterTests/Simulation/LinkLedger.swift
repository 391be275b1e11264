import Cluster

/// The promise of links, checked as messages are sent, delivered and reset.
///
/// Between two resets at the receiver, what arrives is the beginning of what was sent between two
/// resets at the sender, each once and in order; and of a later stretch than anything before.
struct LinkLedger {
  /// One direction between two servers.
  private struct Way: Hashable {
    let sender: ServerID
    let receiver: ServerID
  }

  private struct Stretch {
    /// Resets at the sender before.
    var number: UInt32 = 0
    var count: UInt32 = 0
  }

  /// Resets seen by the first server with the second.
  private var sent: [Way: Stretch] = [:]
  private var received: [Way: Stretch] = [:]
  private var isFresh: [Way: Bool] = [:]
  private(set) var failures: [String] = []
  private(set) var deliveries = 0

  /// The next message from one server to another.
  mutating func message(
    from sender: ServerID, to receiver: ServerID, size: Int
  ) -> [UInt8] {
    var stretch = sent[Way(sender: sender, receiver: receiver), default: Stretch()]
    var message: [UInt8] = []
    for number in [stretch.number, stretch.count] {
      withUnsafeBytes(of: number.littleEndian) { message.append(contentsOf: $0) }
    }
    stretch.count += 1
    sent[Way(sender: sender, receiver: receiver)] = stretch
    return message + [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
  }

  mutating func deliver(_ message: [UInt8], from sender: ServerID, to receiver: ServerID) {
    deliveries += 1
    let way = Way(sender: sender, receiver: receiver)
    let numbers = [0, 4].map { start in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[start + $1]) << UInt32($1 * 8) }
    }
    let filling = UInt8(truncatingIfNeeded: message.count - 8)
    if message.count > 8, message[8] != filling || message[message.count - 1] != filling {
      failures.append("\(sender) → \(receiver): a message was changed")
    }
    let known = received[way]
    if isFresh[way] ?? true {
      if let known, numbers[0] <= known.number {
        failures.append("\(sender) → \(receiver): \(numbers) arrives after a reset")
      }
      received[way] = Stretch(number: numbers[0])
      isFresh[way] = false
    }
    guard let stretch = received[way], numbers == [stretch.number, stretch.count] else {
      failures.append("\(sender) → \(receiver): \(numbers) after \(String(describing: known))")
      return
    }
    received[way]?.count += 1
  }

  /// Notes a reset at one server.
  mutating func reset(at server: ServerID, with peer: ServerID) {
    let out = Way(sender: server, receiver: peer)
    sent[out] = Stretch(number: (sent[out]?.number ?? 0) + 1)
    isFresh[Way(sender: peer, receiver: server)] = true
  }

  /// Checks that all has arrived that was sent since the last resets.
  mutating func checkRest(among servers: Set<ServerID>) {
    for (way, stretch) in sent where stretch.count > 0 {
      guard servers.contains(way.sender), servers.contains(way.receiver) else { continue }
      let arrived = received[way]
      if isFresh[way] ?? true || arrived?.number != stretch.number
        || arrived?.count != stretch.count
      {
        failures.append(
          "\(way.sender) → \(way.receiver): \(stretch) sent, \(String(describing: arrived)) arrived"
        )
      }
    }
  }
}
