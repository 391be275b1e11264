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
    var (seconds, parts) = (seconds(milliseconds), tm())
    gmtime_r(&seconds, &parts)
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    return "\(digits(date[0], 4))-\(digits(date[1]))-\(digits(date[2])) \(timeOfDay(parts))Z"
  }

  /// Formats Unix milliseconds as time of day in the local time zone.
  static func timeOfDay(_ milliseconds: Int64) -> String {
    var (seconds, parts) = (seconds(milliseconds), tm())
    localtime_r(&seconds, &parts)
    return timeOfDay(parts)
  }

  private static func seconds(_ milliseconds: Int64) -> time_t {
    let seconds = milliseconds / 1000
    return time_t(milliseconds % 1000 < 0 ? seconds - 1 : seconds)
  }

  private static func timeOfDay(_ parts: tm) -> String {
    "\(digits(Int(parts.tm_hour))):\(digits(Int(parts.tm_min))):\(digits(Int(parts.tm_sec)))"
  }

  private static func digits(_ number: Int, _ count: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
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
