/// A resource that can be read from JSON and written as JSON.
package protocol JSONResource: Sendable {
  init(json: JSONNode) throws(ResourceError)
  func encode(into writer: inout JSONWriter)
}

extension Message: JSONResource {}
extension ChannelInfo: JSONResource {}

/// A message or channel in an event.
///
/// The answer to a request holds the same resource as the event that follows from it. An event takes
/// the bytes of the answer, so that each resource is encoded once.
package enum EventResource<Value: JSONResource>: Sendable {
  indirect case value(Value)
  /// The JSON that `Value.encode(into:)` wrote.
  case encoded([UInt8])

  /// The resource, decoded if there are only its bytes.
  package func value() throws(ResourceError) -> Value {
    switch self {
    case .value(let value): return value
    case .encoded(let json):
      guard let document = try? JSONDocument(json) else { throw ResourceError("\(Value.self)") }
      return try Value(json: document.root)
    }
  }

  /// The resource as JSON.
  package var json: [UInt8] {
    switch self {
    case .value(let value): JSONWriter.bytes { value.encode(into: &$0) }
    case .encoded(let json): json
    }
  }

  /// Bytes to reserve for the resource.
  var capacity: Int {
    switch self {
    case .value: 1_024
    case .encoded(let json): json.count
    }
  }

  func encode(into writer: inout JSONWriter) {
    switch self {
    case .value(let value): value.encode(into: &writer)
    case .encoded(let json): writer.value(raw: json)
    }
  }
}

/// Two resources are equal in events if clients see the same of them.
extension EventResource: Hashable {
  package static func == (left: EventResource, right: EventResource) -> Bool {
    left.json == right.json
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
