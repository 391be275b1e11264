import ParleyProtocol

/// Parses the `application/ld+json` scripts of a page.
struct StructuredData {
  /// The nodes that describe the page, the most likely first.
  let nodes: [StructuredDataNode]

  /// The maximum number of nodes in all scripts together.
  static let maximumNodes = 64
  /// The nesting limit of lists and graphs.
  private static let maximumDepth = 6
  static let jsonLimits = JSONLimits(byteCount: 524_288, depth: 32, nodeCount: 16_384)

  /// - Parameters:
  ///   - scripts: The scripts' texts in document order; invalid ones are ignored.
  ///   - resolve: Returns the absolute form of an address in a script.
  init(scripts: [String], of page: PageIdentity, resolve: (String) -> WebURL?) {
    var found: [StructuredDataNode] = []
    for script in scripts where found.count < Self.maximumNodes {
      found += Self.nodes(in: script, of: page, resolve).prefix(Self.maximumNodes - found.count)
    }
    nodes = Self.ranked(found)
  }

  private static func nodes(
    in script: String, of page: PageIdentity, _ resolve: (String) -> WebURL?
  ) -> [StructuredDataNode] {
    let text = Array(ScriptWrapping.unwrap(Array(script.utf8)[...]))
    guard let document = try? WebJSON.document(text, limits: jsonLimits) else { return [] }
    var objects: [StructuredDataObject] = []
    collect(document.root, into: &objects, depth: 0)
    let references = StructuredDataReferences(objects.map(\.json))
    let subjects = StructuredDataSubjects(objects)
    let nodes = objects.map { object -> StructuredDataNode? in
      guard let (type, name) = type(of: object.json) else { return nil }
      let node = StructuredDataNode(
        type: type, typeName: name, json: object.json, references: references)
      return node.relating(to: page, resolve)
    }
    return nodes.indices.compactMap { index in
      nodes[index]?.inheriting(from: subjects.owner(of: objects[index]).flatMap { nodes[$0] })
    }
  }

  /// Collects the objects of lists and graphs, and those that a page declares as its subject.
  private static func collect(
    _ value: JSONNode, into objects: inout [StructuredDataObject], owner: Int? = nil, depth: Int
  ) {
    guard depth < maximumDepth, objects.count < 2 * maximumNodes else { return }
    switch value.kind {
    case .array:
      for element in value.elements {
        collect(element, into: &objects, owner: owner, depth: depth + 1)
      }
    case .object:
      let index = objects.count
      objects.append(StructuredDataObject(json: value, owner: owner))
      for member in ["@graph", "mainEntityOfPage"] {
        if let inner = value[member] { collect(inner, into: &objects, depth: depth + 1) }
      }
      if let subject = value["mainEntity"] {
        collect(subject, into: &objects, owner: index, depth: depth + 1)
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

  private static func ranked(_ nodes: [StructuredDataNode]) -> [StructuredDataNode] {
    // Several objects of one type without an address are a list, not the page.
    let silent = nodes.filter { $0.type == .subject && $0.relation == .silent }
    let names = silent.reduce(into: [String: Set<String>]()) {
      $0[$1.typeName, default: []].insert($1.title?.text ?? "")
    }
    let subjects = nodes.indices.filter { index in
      let node = nodes[index]
      switch node.relation {
      case .own, .titled: return true
      case .silent: return node.type != .subject || names[node.typeName]?.count == 1
      case .elsewhere: return false
      }
    }
    let ordered = subjects.sorted {
      // Ties are resolved by document order.
      (nodes[$0].type.rawValue, nodes[$0].relation.rawValue, $0)
        < (nodes[$1].type.rawValue, nodes[$1].relation.rawValue, $1)
    }
    return ordered.map { nodes[$0] }
  }
}

/// One node of a page's structured data (JSON-LD 1.1, schema.org) that may describe the page.
struct StructuredDataNode {
  let type: SchemaType
  let typeName: String
  let json: JSONNode
  /// The nodes of the same script, for resolving references.
  let references: StructuredDataReferences
  private(set) var relation = StructuredDataRelation.silent

  /// The title and the name of the member that contains it.
  var title: (text: String, member: String)? {
    let members = type == .subject ? ["headline", "name"] : ["name", "headline"]
    for member in members {
      if let text = json[member]?.linkedText { return (text, member) }
    }
    return nil
  }

  private var names: [String] { ["headline", "name"].compactMap { json[$0]?.linkedText } }

  var description: String? { json["description"]?.linkedText }

  /// The addresses that the node gives for the page it describes.
  var addresses: [(text: String, member: String)] {
    let page = json["mainEntityOfPage"]
    // An identifier with a fragment identifies a node, not a page.
    let identifier = page?["@id"]?.string.flatMap { $0.contains("#") ? nil : $0 }
    return [
      (json["url"]?.linkedText, "url"),
      (page?.linkedText ?? page?["url"]?.linkedText ?? identifier, "mainEntityOfPage"),
    ].compactMap { text, member in text.map { ($0, member) } }
  }

  /// All addresses of the page that the node describes.
  private var pageAddresses: [String] {
    // An identifier with a fragment identifies a node, on any page.
    let identifier = json["@id"]?.string.flatMap { $0.contains("#") ? nil : $0 }
    let page = json["mainEntityOfPage"]
    let offers = json["offers"]?.oneOrMore.prefix(8).compactMap { $0["url"]?.linkedText } ?? []
    return addresses.map(\.text) + [identifier, page?["@id"]?.string].compactMap(\.self) + offers
  }

  /// Returns the node with its relation to the page, according to its own members.
  fileprivate func relating(
    to page: PageIdentity, _ resolve: (String) -> WebURL?
  ) -> StructuredDataNode {
    let urls = pageAddresses.compactMap(resolve)
    var node = self
    if urls.contains(where: page.isAddress) {
      node.relation = .own
    } else if names.contains(where: { name in
      PreviewText.make(from: name, in: .attribute, limit: PreviewLimits.title)
        .map(page.isTitled) == true
    }) {
      node.relation = .titled
    } else if urls.isEmpty || type == .site && urls.contains(where: page.isOfSite) {
      node.relation = .silent
    } else {
      node.relation = .elsewhere
    }
    return node
  }

  /// Returns the node with the relation of the page whose subject it is, unless it has its own.
  fileprivate func inheriting(from owner: StructuredDataNode?) -> StructuredDataNode {
    guard let owner, relation == .silent else { return self }
    var node = self
    node.relation = owner.relation == .elsewhere ? .elsewhere : .own
    return node
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
  /// The values of a list, or the single value.
  var oneOrMore: [JSONNode] {
    kind == .array ? Array(elements.prefix(64)) : [self]
  }

  /// A non-empty text, the first one of a list, or the `@value` of a text with a language.
  var linkedText: String? {
    for value in oneOrMore {
      let text = value.string ?? value["@value"]?.string
      if let text, PreviewText.make(from: text, in: .attribute, limit: PreviewLimits.title) != nil {
        return text
      }
    }
    return nil
  }
}

/// A picture in structured data: an address, or an `ImageObject`.
struct StructuredDataImage {
  /// The maximum number of pictures of a member.
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

/// The relation of a node to the page that contains it, the closest first.
enum StructuredDataRelation: Int {
  /// The node has the page's address.
  case own
  /// The node's name occurs in the page's title.
  case titled
  /// The node has no address.
  case silent
  /// The node has the address of another page.
  case elsewhere
}

/// An object of a script, and the index of the object that has it as its subject.
private struct StructuredDataObject {
  let json: JSONNode
  let owner: Int?
}

/// The owners of objects that are the subject of another, nested or by `@id`.
private struct StructuredDataSubjects {
  private var owners: [String: Int] = [:]

  init(_ objects: [StructuredDataObject]) {
    for object in objects {
      guard let owner = object.owner, let identifier = object.json["@id"]?.string else { continue }
      owners[identifier] = owner
    }
  }

  func owner(of object: StructuredDataObject) -> Int? {
    object.owner ?? object.json["@id"]?.string.flatMap { owners[$0] }
  }
}

/// The nodes of one script by their `@id`; other nodes may refer to one instead of repeating it.
struct StructuredDataReferences {
  private let nodes: [String: JSONNode]

  init(_ nodes: [JSONNode]) {
    var byIdentifier: [String: JSONNode] = [:]
    for node in nodes {
      if let identifier = node["@id"]?.string { byIdentifier[identifier] = node }
    }
    self.nodes = byIdentifier
  }

  /// Returns the node of a bare reference, otherwise the value itself.
  func resolve(_ value: JSONNode) -> JSONNode {
    guard let identifier = value["@id"]?.string, value["url"] == nil else { return value }
    return nodes[identifier] ?? value
  }
}

/// The subject of a node of structured data, as far as previews need it.
enum SchemaType: Int, Comparable {
  /// The subject of the page.
  case subject
  /// The page itself.
  case page
  /// The site or its owner: these describe every page, so hardly this one.
  case site

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

  /// Returns the kind for a schema.org type; `nil` for types that a preview never shows
  /// (breadcrumbs, search actions, offers, reviews …).
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
