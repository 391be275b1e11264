/// Finds the links that a person would see in a text.
///
/// Two things are links: what begins with `http://` or `https://`, and bare names such as
/// `sendbird.com` whose last label is a top-level domain. One pass, so the time is linear in the
/// text; what is not a link is passed over whole. A bare name is taken for http, which every site
/// answers: those that want https send there.
package struct LinkFinder {
  /// The first link of a text, `nil` when there is none.
  package static func firstLink(in text: String) -> Link? {
    guard mayContainLink(text) else { return nil }
    var finder = LinkFinder(Array(text.unicodeScalars))
    return finder.next()
  }

  /// How many candidates that turn out to be no links are looked at before giving up.
  private static let maximumCandidates = 64

  private let text: [Unicode.Scalar]
  private var position = 0
  private var candidates = 0

  private init(_ text: [Unicode.Scalar]) { self.text = text }

  /// Most messages have neither a dot nor a colon inside, and are done with here.
  private static func mayContainLink(_ text: String) -> Bool {
    var previous: UInt8 = 0x20
    for byte in text.utf8 {
      if previous == UInt8(ascii: "."), byte > 0x20 { return true }
      if previous == UInt8(ascii: ":"), byte == UInt8(ascii: "/") { return true }
      previous = byte
    }
    return false
  }

  private mutating func next() -> Link? {
    while position < text.count, candidates < Self.maximumCandidates {
      if text[position].mayBeginLink, isBoundary(before: position) {
        if let scheme = schemeEnd(at: position) {
          if let link = linkWithScheme(after: scheme) { return link }
          continue
        }
        if let link = bareLink() { return link }
        continue
      }
      position += 1
    }
    return nil
  }

  /// Whether a link may begin here: not in the middle of a word, a path or an address.
  private func isBoundary(before index: Int) -> Bool {
    guard index > 0 else { return true }
    let previous = text[index - 1]
    if previous.isHostScalar { return previous.isOfUnspacedScript && text[index].isASCII }
    return !previous.joinsWords
  }

  /// Where the host begins, when `http://` or `https://` stands at `index`.
  private func schemeEnd(at index: Int) -> Int? {
    guard text[index] == "h" || text[index] == "H" else { return nil }
    for scheme in Self.schemes where text.count - index > scheme.count {
      let matches = zip(scheme, text[index...]).allSatisfy { $0 == $1.asciiLowercased }
      if matches { return index + scheme.count }
    }
    return nil
  }

  private static let schemes = ["https://", "http://"].map { Array($0.unicodeScalars) }

  private mutating func linkWithScheme(after hostStart: Int) -> Link? {
    let start = position
    candidates += 1
    var end = hostStart
    while end < text.count, text[end].mayStandInURL { end += 1 }
    position = max(end, hostStart)
    let trimmed = LinkEnd.trim(text[start..<end])
    guard trimmed.endIndex > hostStart else { return nil }
    let hostEnd = hostEnd(from: hostStart, to: trimmed.endIndex)
    return Link(string(text[start..<hostEnd]) + string(text[hostEnd..<restEnd(trimmed, hostEnd)]))
  }

  /// Where the host ends when a word follows it without a space, as in `https://a.com입니다`.
  ///
  /// Such a name ends where its ASCII part ends, if that is a name of its own and the whole is not.
  private func hostEnd(from start: Int, to limit: Int) -> Int {
    var end = start
    while end < limit, text[end].isHostScalar || text[end] == "." { end += 1 }
    guard let foreign = text[start..<end].firstIndex(where: { !$0.isASCII }),
      !BareName.isKnown(text[start..<end]), BareName.isKnown(text[start..<foreign])
    else { return end }
    return foreign
  }

  private func restEnd(_ trimmed: ArraySlice<Unicode.Scalar>, _ hostEnd: Int) -> Int {
    let continues = hostEnd < trimmed.endIndex && text[hostEnd].isASCII
    return continues ? trimmed.endIndex : hostEnd
  }

  private mutating func bareLink() -> Link? {
    let start = position
    var end = start
    var dots = 0
    while end < text.count, text[end].isHostScalar || text[end] == "." {
      // `주소는sendbird.com`: the name begins where the other script does.
      let isSeam = end > start && text[end].isASCII && text[end - 1].isOfUnspacedScript
      if isSeam, dots == 0, text[end] != "." {
        position = end
        return nil
      }
      if text[end] == "." { dots += 1 }
      end += 1
    }
    position = max(end, start + 1)
    guard dots > 0, end - start <= 300 else { return nil }
    candidates += 1
    return bareLink(named: start..<end)
  }

  private mutating func bareLink(named run: Range<Int>) -> Link? {
    var name = text[run]
    while name.last == "." || name.last == "-" { name = name.dropLast() }
    if !BareName.isKnown(name), let foreign = name.firstIndex(where: { !$0.isASCII }) {
      name = name[..<foreign]
    }
    guard BareName.isKnown(name) else { return nil }
    let hasDroppedTail = name.endIndex < run.upperBound
    var end = name.endIndex
    if !hasDroppedTail, end < text.count {
      if text[end].forbidsBareName { return nil }
      if text[end].beginsRest {
        while end < text.count, text[end].mayStandInURL { end += 1 }
        position = max(position, end)
      }
    }
    let trimmed = LinkEnd.trim(text[name.startIndex..<end])
    let rest = text[name.endIndex..<max(name.endIndex, trimmed.endIndex)]
    guard !BareName(name).looksLikeFile(followedBy: rest) else { return nil }
    return Link("http://" + string(name) + string(rest))
  }

  private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
