/// The part of a URL before its path, as it stands in a text.
enum LinkAuthority {
  /// Whether an `@` follows before the path begins, so that what looks like a host is a user.
  ///
  /// Looks beyond characters that end a link in a text but not everywhere: `https://a.com\@b.com`.
  static func hasUserinfo(from index: Int, in text: LinkText) -> Bool {
    var run = LinkRun.end(in: text, from: index, startOfLink: index)
    var end = index
    while let scalar = text[end], !scalar.beginsRest {
      if end == run {
        guard isUsualInPasswords(scalar) else { return false }
        run = LinkRun.end(in: text, from: end + 1, startOfLink: end + 1)
      }
      if scalar == "@" { return true }
      end += 1
    }
    return false
  }

  private static func isUsualInPasswords(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\\" || scalar == "^" || scalar == "{" || scalar == "}"
  }

  /// Where the host that begins at `start` ends.
  static func hostEnd(from start: Int, in text: LinkText) -> Int {
    if text[start] == "[" { return bracketedHostEnd(from: start, in: text) }
    var end = start
    while let scalar = text[end], isHostScalar(scalar) || isInnerDot(at: end, in: text) {
      end += 1
    }
    // Markers of emphasis and dashes belong to the sentence.
    while end > start, text[end - 1] == "_" || text[end - 1] == "-" { end -= 1 }
    return end
  }

  /// Where a host with emoji in it ends, as in `https://i❤.ws/`; `nil` when it is none.
  ///
  /// An emoji behind a whole host belongs to the sentence. It is a part of the host only where what
  /// follows makes a name of it, under a top-level domain.
  ///
  /// - Parameter hostEnd: Where the host would end without.
  static func pictorialHostEnd(from start: Int, hostEnd: Int, in text: LinkText) -> Int? {
    guard text[hostEnd]?.isPictorial == true else { return nil }
    var end = text.end(from: start) { isHostScalar($0) || $0.isPictorial || $0.isDot }
    while end > hostEnd, let last = text[end - 1], !last.isHostScalar || last == "-" { end -= 1 }
    let host = start..<end
    guard BareName(host, in: text) != nil, NameRun.known(in: start..<hostEnd, of: text) == nil
    else { return nil }
    return end
  }

  private static func bracketedHostEnd(from start: Int, in text: LinkText) -> Int {
    let end = text.end(from: start + 1) { $0.isASCIIAlphanumeric || $0 == ":" || $0 == "." }
    return text[end] == "]" ? end + 1 : start
  }

  private static func isHostScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isHostScalar || scalar == "_" || scalar == "%"
  }

  private static func isInnerDot(at index: Int, in text: LinkText) -> Bool {
    guard text[index]?.isDot == true, let next = text[index + 1] else { return false }
    return isHostScalar(next) || next == "/"
  }
}
