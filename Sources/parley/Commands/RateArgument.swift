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
    let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }) else {
      return Int64(text)
    }
    guard let number = Int64(text.dropLast(unit.count)) else { return nil }
    let (product, isOverflow) = number.multipliedReportingOverflow(by: factor)
    return isOverflow ? nil : product
  }

  /// The limit as it would be written.
  var defaultValueDescription: String { "\(messages)/\(windowMilliseconds)" }
}
