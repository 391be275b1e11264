internal import ParleyProtocol

/// A token's header or payload: one JSON object with unique names.
struct JOSEObject {
  private let root: JSONNode

  private static let limits = JSONLimits(byteCount: 8192, depth: 16, nodeCount: 1024)
  /// 2^53: times are exact up to here, and 285 million years away.
  private static let timeLimit = 9_007_199_254_740_992.0

  /// - Parameter part: What to call it in an error.
  init(_ bytes: [UInt8], part: String) throws(TokenError) {
    do {
      root = try JSONDocument(bytes, limits: Self.limits).root
    } catch {
      throw .malformed("the \(part) is not JSON: \(error)")
    }
    guard root.kind == .object else { throw .malformed("the \(part) is not an object") }
  }

  func has(_ name: String) -> Bool {
    root[name] != nil
  }

  /// A string, or `nil` when there is no such member.
  func text(_ name: String) throws(TokenError) -> String? {
    guard let member = root[name] else { return nil }
    guard let text = member.string else { throw .malformed("\(name) is not a string") }
    return text
  }

  /// A NumericDate (RFC 7519 §2), or `nil` when there is no such member.
  ///
  /// A fraction is rounded up: with whole seconds to compare, that decides both `exp` and `nbf`
  /// exactly.
  func time(_ name: String) throws(TokenError) -> Int64? {
    guard let member = root[name] else { return nil }
    guard let seconds = member.number, abs(seconds) <= Self.timeLimit else {
      throw .malformed("\(name) is not a time")
    }
    return Int64(seconds.rounded(.up))
  }
}
