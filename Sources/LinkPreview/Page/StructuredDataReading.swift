import ParleyProtocol

/// Converts structured data into members of a preview.
struct StructuredDataReading {
  private let nodes: [StructuredDataNode]
  private let decoder: PageDecoder
  private let page: PageIdentity

  init(scripts: [HTMLText], _ decoder: PageDecoder, of page: PageIdentity) {
    self.decoder = decoder
    self.page = page
    nodes =
      StructuredData(scripts: scripts.map(decoder.source), of: page, resolve: decoder.url).nodes
  }

  /// The page's address in the most likely node, if it does not lead to another page.
  var address: Sourced<String>? {
    for node in nodes where node.type != .site {
      for candidate in node.addresses {
        guard let url = decoder.url(candidate.text), page.isAddress(url) else { continue }
        return Sourced(url.text, .structuredData, "JSON-LD \(candidate.member)")
      }
    }
    return nil
  }

  /// Returns the members in nodes of one rank, from the most likely node that has each.
  func members(ranked rank: PreviewRank, _ address: Sourced<String>) -> PreviewMembers {
    let nodes = nodes.filter { ($0.type == .site) == (rank == .site) }
    return PreviewMembers(
      title: nodes.lazy.compactMap { title($0, rank) }.first, address: address,
      description: nodes.lazy.compactMap { description($0, rank) }.first,
      image: nodes.lazy.compactMap { image($0, rank) }.first)
  }

  private func title(_ node: StructuredDataNode, _ rank: PreviewRank) -> Sourced<String>? {
    guard let title = node.title,
      let text = PreviewText.make(from: title.text, in: .attribute, limit: PreviewLimits.title)
    else { return nil }
    return Sourced(text, rank, "JSON-LD \(title.member)")
  }

  private func description(_ node: StructuredDataNode, _ rank: PreviewRank) -> Sourced<String>? {
    node.description
      .flatMap { PreviewText.make(from: $0, in: .attribute, limit: PreviewLimits.description) }
      .map { Sourced($0, rank, "JSON-LD description") }
  }

  private func image(
    _ node: StructuredDataNode, _ rank: PreviewRank
  ) -> Sourced<OpenGraphImage>? {
    for image in node.images {
      guard let url = decoder.url(image.url) else { continue }
      let caption = image.caption.flatMap {
        PreviewText.make(from: $0, in: .attribute, limit: PreviewLimits.title)
      }
      let picture = OpenGraphImage(
        url: url.text, width: image.width, height: image.height, alt: caption)
      return Sourced(picture, rank, "JSON-LD \(image.member)")
    }
    return nil
  }
}

/// The JSON-LD scripts of a page, stored until its character set is known.
struct StructuredDataScripts {
  private(set) var scripts: [HTMLText] = []
  private var byteCount = 0

  private static let maximumCount = 16
  private static let maximumByteCount = 262_144

  /// Stores a script if there is room; a truncated one is not JSON.
  mutating func receive(_ script: HTMLText) {
    guard scripts.count < Self.maximumCount, !script.isTruncated, !script.bytes.isEmpty,
      byteCount + script.bytes.count <= Self.maximumByteCount
    else { return }
    byteCount += script.bytes.count
    scripts.append(script)
  }
}
