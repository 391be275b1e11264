internal import ArgumentParser

/// A limit, written as `5/1000` (messages in milliseconds), `5/1s`, or `off`.
struct RateArgument: ExpressibleByArgument, Equatable {
  private static let standardWindow: Int64 = 1_000

  let messages: Int64
  let windowMilliseconds: Int64

  /// The default of a gateway.
  static let standard = RateArgument(messages: 5, windowMilliseconds: standardWindow)

  private init(messages: Int64, windowMilliseconds: Int64) {
    self.messages = messages
    self.windowMilliseconds = windowMilliseconds
  }

  init?(argument: String) {
    guard argument != "off" else {
      (messages, windowMilliseconds) = (0, Self.standardWindow)
      return
    }
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let messages = Int64(parts[0]),
      let window = Self.milliseconds(parts[1]),
      messages >= 0, window >= 0
    else { return nil }
    self.messages = messages
    windowMilliseconds = window
  }

  /// Parses a number of milliseconds, or a number with a unit.
  private static func milliseconds(_ text: Substring) -> Int64? {
    Int64(text) ?? TimeArgument(argument: String(text))?.milliseconds
  }

  /// The limit in its input format.
  var defaultValueDescription: String { "\(messages)/\(windowMilliseconds)" }
}
