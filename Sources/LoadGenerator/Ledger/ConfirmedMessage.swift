/// A message that the server has accepted, by what it answered to the sender.
package struct ConfirmedMessage: Sendable, Hashable {
  package let seq: Int64
  /// Unix milliseconds.
  package let createdAt: Int64
  package let messageID: Int64
  /// The connection that sent it, by its place in the plan; each is a user of its own.
  package let sender: UInt32
  /// Counts the messages of that connection.
  package let number: UInt32

  package init(seq: Int64, createdAt: Int64, messageID: Int64, sender: UInt32, number: UInt32) {
    self.seq = seq
    self.createdAt = createdAt
    self.messageID = messageID
    self.sender = sender
    self.number = number
  }

  var fingerprint: UInt64 { Self.fingerprint(seq: seq, sender: sender, number: number) }

  /// Ties a message to its place; sums of these show whether each arrived in its own place.
  static func fingerprint(seq: Int64, sender: UInt32, number: UInt32) -> UInt64 {
    let message = UInt64(sender) << 32 | UInt64(number)
    let place = UInt64(bitPattern: seq) &* 0x9E37_79B9_7F4A_7C15
    let mixed = (place ^ message) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 31)
  }
}
