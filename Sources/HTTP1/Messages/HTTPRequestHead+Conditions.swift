extension HTTPRequestHead {
  /// Whether the client has the version with this entity tag already (RFC 9110 §13.1.2): then 304.
  ///
  /// - Parameter tag: A strong one, with its quotes.
  package func hasVersion(_ tag: String) -> Bool {
    fields.listValues(of: "If-None-Match").contains { known in
      known == "*" || known == tag || known == "W/" + tag
    }
  }

  /// The part of content with this entity tag that the client asks for; the whole when it has a
  /// part of another version (RFC 9110 §13.1.5).
  package func range(length: Int64, tag: String) -> HTTPByteRange {
    guard fields["If-Range"].map({ $0 == tag }) ?? true else { return .whole }
    let ranges = fields.values(of: "Range")
    return HTTPByteRange(ranges.count == 1 ? ranges[0] : nil, length: length)
  }
}
