import Basics

/// The parameters of a query, as forms write them: `a=b&c=d`, percent-encoded, `+` for a space.
package struct QueryParameters: Sendable, Hashable {
  /// By name; of a name that is given several times, the last counts.
  package private(set) var values: [String: String] = [:]

  /// Reads a query; `nil` when its percent-encoding is broken or it is not UTF-8.
  ///
  /// A name without an equals sign has the empty text as its value. The target's own length bounds
  /// how many there are.
  package init?(_ query: String?) {
    for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]), let value = Self.decode(parts.dropFirst().first)
      else { return nil }
      values[name] = value
    }
  }

  /// The value of a parameter; `nil` when it is not given.
  package subscript(_ name: String) -> String? { values[name] }

  private static func decode(_ text: Substring.UTF8View?) -> String? {
    guard let text else { return "" }
    return PercentEncoding.text(
      text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}
