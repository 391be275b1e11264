/// The content of messages.
package enum MessageContent: Sendable, Hashable {
  /// The same text each time, with this length in bytes.
  case plain(bytes: Int)
  /// Typical messages: short and long, some with non-ASCII characters, some with a link.
  case mixed(MessageMix)

  /// Returns the text of a sender's message; it is always the same for the same run.
  func text(sender: UInt32, number: UInt32) -> String {
    switch self {
    case .plain(let bytes): String(repeating: "x", count: max(1, bytes))
    case .mixed(let mix): mix.text(sender: sender, number: number)
    }
  }
}

/// A mix of typical messages.
package struct MessageMix: Sendable, Hashable {
  private static let openings = [
    "ok", "thanks!", "on my way", "did anyone look at this?", "Servus, grüß euch", "lol 😀",
    "see you at the meeting tomorrow, I'll bring the numbers", "そうですね",
    "I think we should wait with the release until the last test is green",
  ]

  /// The fraction of messages that have a link, 0 to 1.
  package var linkShare: Double
  /// The prefix of links; a number follows.
  package var linkBase: String
  /// The number of different links.
  package var linkCount: Int

  package init(linkShare: Double, linkBase: String, linkCount: Int) {
    self.linkShare = linkShare
    self.linkBase = linkBase
    self.linkCount = max(1, linkCount)
  }

  func text(sender: UInt32, number: UInt32) -> String {
    let chance = Self.mixed(UInt64(sender) << 32 | UInt64(number))
    var text = Self.openings[Int(chance % UInt64(Self.openings.count))]
    // One in eight is long.
    if chance >> 8 & 7 == 0 {
      text += String(repeating: " and so on", count: Int(chance >> 12 & 31))
    }
    if Double(chance >> 32 & 0xffff) < linkShare * 65_536 {
      text += " \(linkBase)\((chance >> 48) % UInt64(linkCount))"
    }
    return text
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
