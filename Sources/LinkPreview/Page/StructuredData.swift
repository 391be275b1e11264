import ParleyProtocol

/// Reads the `application/ld+json` scripts of a page.
struct StructuredData {
  /// The nodes that may describe the page, the likeliest first.
  let nodes: [StructuredDataNode]

  /// The number of nodes that are read, in all scripts together.
  static let maximumNodes = 64
  /// The nesting limit of lists and graphs.
  private static let maximumDepth = 6
  /// From how many nodes of one type on they are a list of things elsewhere, not the page.
  private static let listThreshold = 3

  static let jsonLimits = JSONLimits(byteCount: 524_288, depth: 32, nodeCount: 16_384)

  /// - Parameters:
  ///   - scripts: The scripts' texts in document order; broken ones are passed over.
  ///   - isPage: Whether an address is the page's own.
  init(scripts: [String], isPage: (String) -> Bool) {
    var found: [StructuredDataNode] = []
    for script in scripts where found.count < Self.maximumNodes {
      found += Self.nodes(in: script).prefix(Self.maximumNodes - found.count)
    }
    nodes = Self.ranked(found, isPage: isPage)
  }

  private static func nodes(in script: String) -> [StructuredDataNode] {
    let text = Array(ScriptWrapping.unwrap(Array(script.utf8)[...]))
    guard let document = try? WebJSON.document(text, limits: jsonLimits) else { return [] }
    var objects: [JSONNode] = []
    collect(document.root, into: &objects, depth: 0)
    let references = StructuredDataReferences(objects)
    return objects.compactMap { object in
      guard let (type, name) = type(of: object) else { return nil }
      return StructuredDataNode(type: type, typeName: name, json: object, references: references)
    }
  }

  /// The objects of lists and graphs, and those that a page names as its subject.
  private static func collect(_ value: JSONNode, into objects: inout [JSONNode], depth: Int) {
    guard depth < maximumDepth, objects.count < 2 * maximumNodes else { return }
    switch value.kind {
    case .array:
      for element in value.elements { collect(element, into: &objects, depth: depth + 1) }
    case .object:
      objects.append(value)
      for member in ["@graph", "mainEntity", "mainEntityOfPage"] {
        if let inner = value[member] { collect(inner, into: &objects, depth: depth + 1) }
      }
    case .null, .bool, .number, .string: break
    }
  }

  /// Returns the most specific of several types.
  private static func type(of object: JSONNode) -> (SchemaType, String)? {
    guard let names = object["@type"]?.oneOrMore.prefix(8) else { return nil }
    let types = names.compactMap(\.string).compactMap { name -> (SchemaType, String)? in
      // `http://schema.org/Article` and `schema:Article` are Article.
      let short = name.split(whereSeparator: { "/#:".contains($0) }).last ?? ""
      return SchemaType(name: short).map { ($0, String(short)) }
    }
    return types.min { $0.0 < $1.0 }
  }

  private static func ranked(
    _ nodes: [StructuredDataNode], isPage: (String) -> Bool
  ) -> [StructuredDataNode] {
    let own = nodes.map { $0.addresses.contains { isPage($0.text) } }
    let counts = nodes.reduce(into: [:]) { $0[$1.typeName, default: 0] += 1 }
    let subjects = nodes.indices.filter { index in
      let node = nodes[index]
      let isListed = counts[node.typeName, default: 0] >= listThreshold && node.type == .subject
      return own[index] || !isListed
    }
    let ordered = subjects.sorted {
      // Document order decides between equals.
      (nodes[$0].type.rawValue, own[$0] ? 0 : 1, $0)
        < (nodes[$1].type.rawValue, own[$1] ? 0 : 1, $1)
    }
    return ordered.map { nodes[$0] }
  }
}

/// One node of a page's structured data (JSON-LD 1.1, schema.org) that may describe the page.
struct StructuredDataNode {
  let type: SchemaType
  let typeName: String
  let json: JSONNode
  /// The nodes of the same script that others refer to.
  let references: StructuredDataReferences

  /// A title and the name of the member that gave it.
  var title: (text: String, member: String)? {
    let members = type == .subject ? ["headline", "name"] : ["name", "headline"]
    for member in members {
      if let text = json[member]?.linkedText { return (text, member) }
    }
    return nil
  }

  var description: String? { json["description"]?.linkedText }

  /// The addresses by which the node names the page that it describes.
  var addresses: [(text: String, member: String)] {
    let page = json["mainEntityOfPage"]
    // An identifier with a fragment names a node, not a page.
    let identifier = page?["@id"]?.string.flatMap { $0.contains("#") ? nil : $0 }
    return [
      (json["url"]?.linkedText, "url"),
      (page?.linkedText ?? page?["url"]?.linkedText ?? identifier, "mainEntityOfPage"),
    ].compactMap { text, member in text.map { ($0, member) } }
  }

  /// The pictures in order.
  var images: [StructuredDataImage] {
    pictures(in: "image") + pictures(in: "thumbnailUrl") + pictures(in: "thumbnail")
  }

  private func pictures(in member: String) -> [StructuredDataImage] {
    guard let value = json[member] else { return [] }
    return value.oneOrMore.prefix(StructuredDataImage.maximumCount).compactMap {
      StructuredDataImage(references.resolve($0), member: member)
    }
  }
}

extension JSONNode {
  /// The values of a list, or the value itself.
  var oneOrMore: [JSONNode] {
    kind == .array ? Array(elements.prefix(64)) : [self]
  }

  /// A text that is not blank, the first one of a list, or the `@value` of a text with a language.
  var linkedText: String? {
    for value in oneOrMore {
      let text = value.string ?? value["@value"]?.string
      if let text, !text.allSatisfy(\.isWhitespace) { return text }
    }
    return nil
  }
}

/// A picture in structured data: an address, or an `ImageObject`.
struct StructuredDataImage {
  /// The number of pictures of a member that are read.
  static let maximumCount = 8

  let url: String
  let width: Int32
  let height: Int32
  let caption: String?
  let member: String

  init?(_ json: JSONNode, member: String) {
    let address = json.string ?? json["url"]?.linkedText ?? json["contentUrl"]?.linkedText
    guard let address, !address.isEmpty else { return nil }
    url = address
    width = PixelCount(json: json["width"]).value
    height = PixelCount(json: json["height"]).value
    caption = json["caption"]?.linkedText
    self.member = member
  }
}

/// The nodes of one script by their `@id`; others may name one instead of repeating it.
struct StructuredDataReferences {
  private let nodes: [String: JSONNode]

  init(_ nodes: [JSONNode]) {
    var byIdentifier: [String: JSONNode] = [:]
    for node in nodes {
      if let identifier = node["@id"]?.string { byIdentifier[identifier] = node }
    }
    self.nodes = byIdentifier
  }

  /// The node that a bare reference names, else the value itself.
  func resolve(_ value: JSONNode) -> JSONNode {
    guard let identifier = value["@id"]?.string, value["url"] == nil else { return value }
    return nodes[identifier] ?? value
  }
}

/// The subject of a node of structured data, as far as previews use it.
enum SchemaType: Int, Comparable {
  /// The thing that the page is about.
  case subject
  /// The page itself.
  case page
  /// The site, or who is behind it: true of every page, and so hardly of this one.
  case site

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

  /// The kind for a schema.org type, `nil` for those that a preview never shows (breadcrumbs,
  /// search actions, offers, reviews …).
  init?(name: some StringProtocol) {
    let name = String(name)
    guard let known = Self.byName[name] ?? Self.bySuffix(name) else { return nil }
    self = known
  }

  private static func bySuffix(_ name: String) -> SchemaType? {
    if name.hasSuffix("Article") || name.hasSuffix("Event") { return .subject }
    if name.hasSuffix("Page") { return .page }
    return name.hasSuffix("Organization") ? .site : nil
  }

  private static let byName: [String: SchemaType] = {
    var types: [String: SchemaType] = [:]
    for name in subjects.split(separator: " ") { types[String(name)] = .subject }
    for name in sites.split(separator: " ") { types[String(name)] = .site }
    return types
  }()

  private static let subjects = """
    APIReference Apartment Audiobook AudioObject BlogPosting Book Car Clip \
    Comic Course CreativeWork Dataset DiscussionForumPosting Episode Festival Game HowTo \
    IndividualProduct JobPosting LearningResource LiveBlogPosting MobileApplication Movie \
    MusicAlbum MusicPlaylist MusicRecording PodcastEpisode PodcastSeries Product ProductGroup \
    ProductModel Quiz RealEstateListing Recipe Report SocialMediaPosting SoftwareApplication \
    SoftwareSourceCode TVEpisode TVSeason TVSeries Thesis TouristAttraction TouristTrip Vehicle \
    VideoGame VideoObject VisualArtwork WebApplication
    """

  private static let sites = """
    Blog Brand Corporation GovernmentOffice Hotel LocalBusiness OnlineStore Person Restaurant \
    Store WebSite
    """
}
