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
