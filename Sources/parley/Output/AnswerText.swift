internal import Foundation
internal import ParleyProtocol

/// Members of answers, for people.
extension JSONNode {
  /// The text of a member; empty when there is none.
  func text(_ name: String) -> String { self[name]?.string ?? "" }

  /// The number of a member; `?` when there is none.
  func number(_ name: String) -> String { self[name]?.integer.map { String($0) } ?? "?" }

  /// Whether a member is true.
  func isTrue(_ name: String) -> Bool { self[name]?.bool == true }

  /// The elements of a list; none when there is no such list.
  func list(_ name: String) -> [JSONNode] { self[name].map { Array($0.elements) } ?? [] }

  /// The objects' texts of that name, separated by commas.
  func names(_ list: String, _ name: String = "user_id") -> String {
    self.list(list).map { $0.text(name) }.joined(separator: ", ")
  }

  /// A time in Unix milliseconds; empty when it is 0.
  func time(_ name: String) -> String {
    guard let time = self[name]?.integer, time > 0 else { return "" }
    return UnixTime.text(time)
  }

  /// A time in Unix seconds; empty when it is 0.
  func timeInSeconds(_ name: String) -> String {
    guard let time = self[name]?.integer, time > 0 else { return "" }
    return UnixTime.text(time.multipliedReportingOverflow(by: 1000).partialValue)
  }
}

/// Points in time, for people.
enum UnixTime {
  /// Unix milliseconds as date and time of day in UTC.
  static func text(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(.iso8601.dateTimeSeparator(.space).timeZoneSeparator(.omitted))
  }

  /// Unix milliseconds as the time of day in this machine's time zone.
  static func timeOfDay(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(
      Date.VerbatimFormatStyle(
        format:
          "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }
}

/// Durations, for people.
enum Milliseconds {
  /// A number of microseconds as milliseconds.
  static func text(_ node: JSONNode?) -> String {
    guard let microseconds = node?.integer, microseconds > 0 else { return "0 ms" }
    guard microseconds < 10_000 else { return "\(microseconds / 1000) ms" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  /// A length of time by its two largest units: `3 d 4 h`.
  static func inWords(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1000
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    let known = parts.drop { $0.0 == 0 }.prefix(2)
    return known.isEmpty ? "0 s" : known.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
