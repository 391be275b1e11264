/// `group.recover`: the events that a connection has missed in groups.
package struct GroupRecover: Sendable, Hashable {
  /// A group with the last event that the client received.
  package struct Part: Sendable, Hashable {
    package var channelURL: String
    package var position: StreamPosition

    package init(channelURL: String, position: StreamPosition) {
      self.channelURL = channelURL
      self.position = position
    }
  }

  /// 1 to 100, each group once.
  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  init(_ parameters: Fields) throws(ServiceError) {
    let name = "channels"
    let nodes = try parameters.value(name)?.nodes(name, limit: Limits.filterCount)
    guard let nodes else { throw .missing(name) }
    guard !nodes.isEmpty else { throw .invalid(name, "[]", expected: "at least one channel") }
    parts = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let item = try Fields(node)
      let url = try item.channelURL()
      guard !parts.contains(where: { $0.channelURL == url }) else {
        throw .invalid(name, url, expected: "each channel once")
      }
      parts.append(Part(channelURL: url, position: try StreamPosition(item)))
    }
  }
}
