/// A value of a page, not yet decoded, and the place where it stood.
struct PageValue: Hashable {
  /// A kind of place for values.
  enum Place: Hashable {
    /// A `meta` element with this key in this attribute.
    case meta(HTMLAttributes.Name, MetaKey)
    case link(LinkRelation)
  }

  let text: HTMLText
  let place: Place
}

extension PageValue.Place: CustomStringConvertible {
  var description: String {
    switch self {
    case .meta(let attribute, let key): "meta \(attribute.text)=\(key.rawValue)"
    case .link(let relation): "link rel=\(relation.rawValue)"
    }
  }
}
