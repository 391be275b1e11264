import LinkPreview
import ParleyProtocol

extension PreviewNotice {
  private static let limits = JSONLimits(byteCount: 262_144, depth: 8, nodeCount: 100)

  /// The notice as JSON.
  package var encoded: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        switch self {
        case .published(let entry):
          $0.name("published")
          entry.encode(into: &$0)
        case .abandoned(let link): $0.member("abandoned", link.url)
        case .purged(let selection):
          $0.name("purged")
          selection.encode(into: &$0)
        }
      }
    }
  }

  /// Parses a notice; `nil` for invalid bytes.
  package init?(encoded: [UInt8]) {
    guard let root = try? JSONDocument(encoded, limits: Self.limits).root else { return nil }
    if let entry = root["published"].flatMap(PreviewEntry.init(json:)) {
      self = .published(entry)
    } else if let link = root["abandoned"]?.string.flatMap({ Link($0) }) {
      self = .abandoned(link)
    } else if let selection = root["purged"].flatMap(PreviewSelection.init(json:)) {
      self = .purged(selection)
    } else {
      return nil
    }
  }
}

extension PreviewEntry {
  private static let limits = JSONLimits(byteCount: 262_144, depth: 8, nodeCount: 100)

  /// The entry as JSON.
  package var encoded: [UInt8] { JSONWriter.bytes { encode(into: &$0) } }

  /// Parses an entry; `nil` for invalid bytes.
  package init?(encoded: [UInt8]) {
    guard let root = try? JSONDocument(encoded, limits: Self.limits).root else { return nil }
    self.init(json: root)
  }

  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("link", link.url)
      $0.name("og_tag")
      if let tag { tag.encode(into: &$0) } else { $0.null() }
      $0.member("site_name", orNull: siteName)
      $0.member("problem", orNull: problem)
      $0.member("kind", orNull: problemKind?.rawValue)
      $0.member("fetched_at", fetchedAt)
      $0.member("expires_at", expiresAt)
      $0.member("stale_until", staleUntil)
    }
  }

  init?(json: JSONNode) {
    guard let link = json["link"]?.string.flatMap({ Link($0) }),
      let fetchedAt = json["fetched_at"]?.integer, let expiresAt = json["expires_at"]?.integer,
      let staleUntil = json["stale_until"]?.integer
    else { return nil }
    self.init(
      link: link, tag: json["og_tag"].flatMap(OpenGraphTag.init(json:)),
      siteName: json["site_name"]?.string, problem: json["problem"]?.string,
      problemKind: json["kind"]?.string.flatMap(UnfurlError.Kind.init), fetchedAt: fetchedAt,
      expiresAt: expiresAt, staleUntil: staleUntil)
  }
}

extension PreviewSelection {
  func encode(into writer: inout JSONWriter) {
    writer.object {
      switch self {
      case .all: $0.member("all", true)
      case .link(let link): $0.member("link", link.url)
      case .domain(let name): $0.member("domain", name)
      }
    }
  }

  init?(json: JSONNode) {
    if let link = json["link"]?.string.flatMap({ Link($0) }) {
      self = .link(link)
    } else if let name = json["domain"]?.string {
      self = .domain(name)
    } else if json["all"]?.bool == true {
      self = .all
    } else {
      return nil
    }
  }
}
