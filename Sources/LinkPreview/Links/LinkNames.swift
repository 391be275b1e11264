import Basics

/// The part of a URL before its path, as written in a text.
enum LinkAuthority {
  /// Returns whether an `@` follows before the path, so that the apparent host is a user.
  ///
  /// Continues after characters that end a link in a text but not everywhere: `https://a.com\@b.com`.
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

  /// Returns the end of the host that starts at `start`.
  static func hostEnd(from start: Int, in text: LinkText) -> Int {
    if text[start] == "[" { return bracketedHostEnd(from: start, in: text) }
    var end = start
    while let scalar = text[end], isHostScalar(scalar) || isInnerDot(at: end, in: text) {
      end += 1
    }
    // Marks of emphasis and dashes belong to the sentence.
    while end > start, text[end - 1] == "_" || text[end - 1] == "-" { end -= 1 }
    return end
  }

  /// Returns the end of a host with emoji or middle dots, as in `https://i❤.ws/`; `nil` if none.
  ///
  /// Such a sign after a complete host belongs to the sentence. It is part of the host only if the
  /// following text completes a name with a top-level domain.
  ///
  /// - Parameter hostEnd: The end of the host without the sign.
  static func signedHostEnd(from start: Int, hostEnd: Int, in text: LinkText) -> Int? {
    let isLabel = text[hostEnd]?.isDot == true && text[hostEnd + 1]?.isPictorial == true
    guard isLabel || text[hostEnd]?.isPictorial == true || text[hostEnd]?.isMiddleDot == true
    else { return nil }
    var end = text.end(from: start) {
      isHostScalar($0) || $0.isPictorial || $0.isMiddleDot || $0.isDot
    }
    while end > hostEnd, let last = text[end - 1], !last.isHostScalar || last == "-" { end -= 1 }
    let host = start..<end
    guard BareName(host, in: text) != nil,
      isLabel || NameRun.known(in: start..<hostEnd, of: text) == nil
    else { return nil }
    return end
  }

  /// Returns the end of a name with unsupported signs, of which `host` is the start:
  /// `https://www.☃`, `https://a∞b.com`, `https://shop.app.→.net`; `nil` if the host is complete.
  ///
  /// Signs after a name with dots belong to the sentence: `https://a.com→b.com`.
  static func unreadableNameEnd(from host: Range<Int>, in text: LinkText) -> Int? {
    let end = text.end(from: host.upperBound) { isHostScalar($0) || $0.isDot || $0.isSign }
    let labels = (host.upperBound..<end).filter { index in
      text.scalars[index].isDot && index + 1 < end && !text.scalars[index + 1].isDot
    }
    guard text.scalars[host].contains(where: \.isDot) else { return labels.isEmpty ? nil : end }
    return labels.first == host.upperBound && labels.count > 1 ? end : nil
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

/// A run of host scalars and dots, in which a name may be attached to words.
enum NameRun {
  /// Returns the end of the run that starts at `start`; a dot belongs to it if a label follows.
  ///
  /// A run ends where a word of another script directly follows a complete name, as after
  /// `example.com` in `example.com和example.org`.
  static func end(from start: Int, in text: LinkText) -> Int {
    var end = start
    var nameEnds = NameEnds(start: start)
    while let scalar = text[end] {
      if nameEnds.contains(end, in: text) { break }
      if scalar.isDot {
        guard end > start, text[end + 1]?.isHostScalar == true,
          scalar != "\u{3002}" || text[end - 1]?.isASCII == true
        else { break }
      } else if !scalar.isHostScalar, !text.isGeminateDot(at: end) {
        break
      }
      end += 1
    }
    return end
  }

  /// Returns the start of a name after a word of another script: `주소는sendbird.com`.
  static func nameStart(in run: Range<Int>, of text: LinkText) -> Int {
    var start = run.lowerBound
    for index in run.dropFirst() {
      if text.scalars[index].isDot { break }
      if text.scalars[index].isASCIIAlphanumeric, text.scalars[index - 1].isForeignToLatin {
        start = index
      }
    }
    return start
  }

  /// Returns the name at the start of `run`, or all of it, if its ending is a known one.
  ///
  /// It may be followed directly by a word of another script, `sendbird.com입니다`, or the start of
  /// the next sentence, `sendbird.com.Then`.
  static func known(in run: Range<Int>, of text: LinkText) -> (name: BareName, end: Int)? {
    var nameEnds = NameEnds(start: run.lowerBound)
    var end =
      run.prefix(BareName.longest + 1).first { nameEnds.contains($0, in: text) } ?? run.upperBound
    for _ in 0..<4 {
      while end > run.lowerBound, let last = text[end - 1], last == "-" || last.isDot { end -= 1 }
      if let name = BareName(run.lowerBound..<end, in: text) {
        guard name.hasMixedEnding, let cut = withoutGluedWord(run.lowerBound..<end, in: text),
          let shorter = BareName(run.lowerBound..<cut, in: text)
        else { return (name, end) }
        return (shorter, cut)
      }
      guard let cut = withoutGluedWord(run.lowerBound..<end, in: text) else { return nil }
      end = cut
    }
    return nil
  }

  private static func withoutGluedWord(_ name: Range<Int>, in text: LinkText) -> Int? {
    guard let dot = text.scalars[name].lastIndex(where: \.isDot) else { return nil }
    let label = text.scalars[(dot + 1)..<name.upperBound]
    if let foreign = label.firstIndex(where: \.isForeignToLatin) { return foreign }
    return label.first?.properties.isUppercase == true && label.isMixedCase ? dot : nil
  }
}

/// The positions in a run where a complete name ends before a word of another script.
///
/// Names are checked at only a few positions of a run, since the conversion to ASCII is expensive.
private struct NameEnds {
  private static let mostNames = 4

  let start: Int
  private var nameCount = 0

  /// - Parameter start: The start of the run.
  init(start: Int) { self.start = start }

  /// Returns whether a complete name ends before the character at `index`: a letter of another
  /// script directly after it, or a full stop of another script after a name with dots.
  ///
  /// `www` and a top-level domain are the start of a longer name: `www.tv東京.jp`.
  mutating func contains(_ index: Int, in text: LinkText) -> Bool {
    guard nameCount < Self.mostNames, mayContain(index, in: text) else { return false }
    nameCount += 1
    return BareName(start..<index, in: text).map { !$0.isOnlyWWW } ?? false
  }

  private func mayContain(_ index: Int, in text: LinkText) -> Bool {
    guard index > start, index - start <= BareName.longest, let scalar = text[index],
      scalar == "\u{3002}" || (scalar.isForeignToLatin && !scalar.isDot),
      text[index - 1]?.isASCIIAlphanumeric == true,
      let dot = text.scalars[start..<index].lastIndex(of: ".")
    else { return false }
    // No top-level domain mixes scripts.
    return !text.scalars[dot..<index].contains(where: \.isForeignToLatin)
  }
}

/// A name in a text that may be registered: valid labels, the last of them a top-level domain, and
/// longer than a public suffix.
struct BareName {
  /// The labels in lower-case ASCII.
  private let labels: [Substring]
  /// Whether some letters of the ending are capitals, as in a sentence that starts after a full
  /// stop without a space.
  let hasMixedEnding: Bool

  /// The maximum length of a name (RFC 1035 §2.3.4).
  static let longest = 253

  /// - Parameter range: Host scalars and dots.
  init?(_ range: Range<Int>, in text: LinkText) {
    guard range.count <= Self.longest, Self.mayBeKnown(range, in: text),
      case .name(let ascii)? = Host(parsing: Array(text.string(range).utf8)[...])
    else { return nil }
    hasMixedEnding = text.scalars[range].split(whereSeparator: \.isDot).last?.isMixedCase == true
    labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.hasPrefix("-") && !$0.hasSuffix("-") }),
      let last = labels.last, DomainName.isPublicSuffix(String(last)),
      !DomainName.isPublicSuffix(ascii), !isTimeOfDay
    else { return nil }
    if hasMixedEnding, !isSite(followedBy: text[range.upperBound]) { return nil }
  }

  /// Checks a name without the conversion to ASCII, which is the expensive part.
  private static func mayBeKnown(_ range: Range<Int>, in text: LinkText) -> Bool {
    let name = text.scalars[range]
    guard let dot = name.lastIndex(where: \.isDot) else { return false }
    let last = name[(dot + 1)...]
    guard last.count >= 2 else { return false }
    if last.contains(where: \.isASCIIDigit) { return last.count > 4 && last[dot + 3] == "-" }
    return last.contains(where: \.isOftenMapped)
      || DomainName.isPublicSuffix(text.string(last.indices).lowercased())
  }

  /// Whether the name is a time without a space, such as `10.am`.
  private var isTimeOfDay: Bool {
    labels.count == 2 && (labels[1] == "am" || labels[1] == "pm")
      && labels[0].utf8.allSatisfy(\.isASCIIDigit)
  }

  /// Whether only `www` precedes the top-level domain.
  var isOnlyWWW: Bool { labels.count == 2 && labels.first == "www" }

  /// Returns whether readers would take the name for a site, and not for a file, a member of a
  /// program or a sentence: `README.md`, `deploy.sh:12`, `event.target`, `done.Next`.
  ///
  /// A path after it, or a `www.` before it, marks it as a site.
  func isSite(followedBy next: Unicode.Scalar?) -> Bool {
    let isDoubtful = hasMixedEnding || labels.last.map(NameEndings.isDoubtful) == true
    return !isDoubtful || next == "/" || labels.first == "www"
  }
}

extension Unicode.Scalar {
  /// Whether IDNA maps the character or its neighbours to another one: conjoining letters,
  /// combining marks and wide forms.
  fileprivate var isOftenMapped: Bool {
    switch value {
    case 0x300..<0x370, 0x1100..<0x1200, 0x3099...0x309a, 0xff00..<0xfff0: true
    default: false
    }
  }
}

extension ArraySlice<Unicode.Scalar> {
  /// Whether some but not all letters are capitals: as after a full stop without a space.
  var isMixedCase: Bool {
    contains(where: \.properties.isUppercase) && contains(where: \.properties.isLowercase)
  }
}
