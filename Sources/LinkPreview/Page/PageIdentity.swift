internal import Basics

/// The page that structured data may describe: its addresses and its titles.
struct PageIdentity {
  private let addresses: [WebURL]
  private let titles: [[UInt8]]

  /// - Parameters:
  ///   - addresses: The address of the page, and the addresses that it declares.
  ///   - titles: The titles from outside of structured data, cleaned.
  init(addresses: [WebURL], titles: [String]) {
    self.addresses = addresses
    self.titles = titles.map(Self.folded)
  }

  /// Returns whether a URL leads to this page, as far as the URL shows.
  func isAddress(_ url: WebURL) -> Bool { addresses.contains { url.isSamePage(as: $0) } }

  /// Returns whether a URL belongs to this page's site.
  func isOfSite(_ url: WebURL) -> Bool {
    addresses.contains { DomainName.isSameSite(url.host, $0.host) }
  }

  /// Returns whether a title contains a name, as whole words and in any case.
  func isTitled(_ name: String) -> Bool {
    let name = Self.folded(name)
    return titles.contains { name.occursAsWords(in: $0) }
  }

  private static func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }
}

extension WebURL {
  /// Returns whether a URL in a page's data leads to the page at `page`.
  ///
  /// Hosts of one site for different screens count as one, and so do all encodings of a path. The
  /// page may have been requested with more parameters than the data contains.
  fileprivate func isSamePage(as page: WebURL) -> Bool {
    guard hostForAnyScreen == page.hostForAnyScreen, decodedPath == page.decodedPath,
      DomainName.isSameSite(host, page.host)
    else { return false }
    let parameters = Set(page.decodedParameters)
    return decodedParameters.allSatisfy(parameters.contains)
  }

  /// The path without percent-encoding and without a trailing slash.
  private var decodedPath: [UInt8] {
    Self.decoded((path.hasSuffix("/") ? path.dropLast() : path[...]).utf8)
  }

  private var decodedParameters: [[UInt8]] {
    (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { Self.decoded($0) }
  }

  private static func decoded(_ part: some Collection<UInt8>) -> [UInt8] {
    PercentEncoding.decode(part) ?? Array(part)
  }

  private var hostForAnyScreen: Substring {
    let text = host.text
    let prefix = ["www.", "m.", "mobile.", "amp."].first(where: text.hasPrefix)
    return text.dropFirst(prefix?.count ?? 0)
  }
}

extension [UInt8] {
  /// Returns whether `text` has these bytes with no ASCII letter or digit directly beside one of theirs.
  ///
  /// - Complexity: O(*n* + *m*), by the Knuth–Morris–Pratt algorithm.
  fileprivate func occursAsWords(in text: [UInt8]) -> Bool {
    guard let first, let last, count <= text.count else { return false }
    let fallbacks = prefixLengths
    var matched = 0
    for (index, byte) in text.enumerated() {
      while matched > 0, matched == count || self[matched] != byte {
        matched = fallbacks[matched - 1]
      }
      if self[matched] == byte { matched += 1 }
      guard matched == count else { continue }
      let start = index + 1 - count
      let isCutBefore =
        start > 0 && first.isASCIIAlphanumeric && text[start - 1].isASCIIAlphanumeric
      let isCutAfter =
        index + 1 < text.count && last.isASCIIAlphanumeric && text[index + 1].isASCIIAlphanumeric
      if !isCutBefore, !isCutAfter { return true }
    }
    return false
  }

  /// The length, for each prefix of these bytes, of its longest proper prefix that is also a suffix.
  private var prefixLengths: [Int] {
    var lengths = [Int](repeating: 0, count: count)
    var matched = 0
    for index in indices.dropFirst() {
      while matched > 0, self[matched] != self[index] { matched = lengths[matched - 1] }
      if self[matched] == self[index] { matched += 1 }
      lengths[index] = matched
    }
    return lengths
  }
}
