internal import Bytes

/// Reads links that begin with `http://` or `https://`.
enum SchemeLink {
  /// The link whose scheme begins at `start` and whose host begins at `hostStart`.
  static func read(from start: Int, host hostStart: Int, in text: LinkText) -> LinkReading {
    // `http://http://a.com`
    if text.webSchemeEnd(at: hostStart) != nil { return LinkReading(url: nil, end: hostStart) }
    let refusal = LinkReading(
      url: nil, end: LinkRun.end(in: text, from: hostStart, startOfLink: start))
    let hostEnd = LinkAuthority.hostEnd(from: hostStart, in: text)
    guard !LinkAuthority.hasUserinfo(from: hostStart, in: text) else { return refusal }
    if let end = LinkAuthority.pictorialHostEnd(from: hostStart, hostEnd: hostEnd, in: text) {
      return read(start..<LinkTail.end(afterHost: end, startOfLink: start, in: text), in: text)
        ?? refusal
    }
    guard hostEnd > hostStart else { return refusal }
    let nameEnd = nameEnd(hostStart..<hostEnd, in: text)
    let end =
      nameEnd < hostEnd
      ? nameEnd : LinkTail.end(afterHost: hostEnd, startOfLink: start, in: text)
    return read(start..<end, in: text) ?? refusal
  }

  private static func read(_ link: Range<Int>, in text: LinkText) -> LinkReading? {
    WebURL(text.string(link)).map { LinkReading(url: $0, end: link.upperBound) }
  }

  /// Where the host ends when a word follows it without a space, as in `https://a.com입니다`.
  ///
  /// Such a name ends where the word begins, if it is a name of its own and the whole is not.
  private static func nameEnd(_ host: Range<Int>, in text: LinkText) -> Int {
    let hasForeign = text.scalars[host].contains(where: \.isForeignToLatin)
    let isFollowedByRest = text[host.upperBound].map { $0.beginsRest || $0 == ":" } ?? false
    guard hasForeign || !isFollowedByRest else { return host.upperBound }
    if let (_, end) = NameRun.known(in: host, of: text) { return end }
    let latin = text.end(from: host.lowerBound) { !$0.isForeignToLatin }
    let isLocal =
      latin > host.lowerBound && latin < host.upperBound
      && isLocalHost(text.string(host.lowerBound..<latin))
    return isLocal ? latin : host.upperBound
  }

  /// Whether a name without a top-level domain can be told from a word: `localhost`, `127.0.0.1`.
  private static func isLocalHost(_ name: String) -> Bool {
    if name.lowercased() == "localhost" { return true }
    guard case .address? = Host(parsing: Array(name.utf8)[...]) else { return false }
    return true
  }
}
