import Basics

/// The path of a URL in its normal form.
enum URLPath {
  /// Slashes for backslashes, without dot segments (RFC 3986 §5.2.4), percent-encoded, and
  /// beginning with a slash.
  static func normalize(_ path: ArraySlice<UInt8>) -> String {
    var segments: [ArraySlice<UInt8>] = []
    let given = path.split(omittingEmptySubsequences: false, whereSeparator: \.isSlash)
    // What precedes the first slash is empty, or there is no path at all.
    let relevant = path.first?.isSlash == true ? given.dropFirst() : given[...]
    for (position, segment) in relevant.enumerated() {
      let isLast = position == relevant.count - 1
      switch dots(in: segment) {
      case 1: if isLast { segments.append([]) }
      case 2:
        _ = segments.popLast()
        if isLast { segments.append([]) }
      default: segments.append(segment)
      }
    }
    let text = segments.map { "/" + PercentEncoding.encode($0, keeping: .path) }.joined()
    return text.isEmpty ? "/" : text
  }

  /// 1 for `.`, 2 for `..`, also when percent-encoded; 0 for any other segment.
  private static func dots(in segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6, let first = segment.first, first == 0x2e || first == 0x25 else {
      return 0
    }
    switch String(decoding: segment, as: UTF8.self).lowercased() {
    case ".", "%2e": return 1
    case "..", ".%2e", "%2e.", "%2e%2e": return 2
    default: return 0
    }
  }
}
