internal import Basics
internal import Glibc
internal import ParleyProtocol

/// Reads members of answers as text.
extension JSONNode {
  /// Returns the text of a member; empty if it is missing.
  func text(_ name: String) -> String { self[name]?.string ?? "" }

  /// Returns the number of a member; `?` if it is missing.
  func number(_ name: String) -> String { self[name]?.integer.map { String($0) } ?? "?" }

  /// Whether a member is true.
  func isTrue(_ name: String) -> Bool { self[name]?.bool == true }

  /// Returns the elements of a list; none if it is missing.
  func list(_ name: String) -> [JSONNode] { self[name].map { Array($0.elements) } ?? [] }

  /// Returns one member of each object of a list, separated by commas.
  func names(_ list: String, _ name: String = "user_id") -> String {
    self.list(list).map { $0.text(name) }.joined(separator: ", ")
  }

  /// Returns a time given in Unix milliseconds; empty for 0.
  func time(_ name: String) -> String {
    guard let time = self[name]?.integer, time > 0 else { return "" }
    return UnixTime.text(time)
  }

  /// Returns a time given in Unix seconds; empty for 0.
  func timeInSeconds(_ name: String) -> String {
    guard let time = self[name]?.integer, time > 0 else { return "" }
    return UnixTime.text(time.multipliedReportingOverflow(by: 1000).partialValue)
  }
}

/// Formats points in time.
enum UnixTime {
  /// Formats Unix milliseconds as date and time of day in UTC.
  static func text(_ milliseconds: Int64) -> String {
    let time = CivilTime(unixMilliseconds: milliseconds)
    return "\(time.date) \(time.timeOfDay)Z"
  }

  /// Formats Unix milliseconds as time of day in the local time zone.
  static func timeOfDay(_ milliseconds: Int64) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.decimal(width: 2) }
      .joined(separator: ":")
  }
}

/// Formats durations.
enum Milliseconds {
  /// Formats a number of microseconds in milliseconds.
  static func text(_ node: JSONNode?) -> String {
    guard let microseconds = node?.integer, microseconds > 0 else { return "0 ms" }
    guard microseconds < 10_000 else { return "\(microseconds / 1000) ms" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  /// Formats a number of milliseconds in its two largest units: `3 d 4 h`.
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
