import ParleyProtocol

/// The extra data of a message, below `/v3/open_channels/{url}/messages/{message_id}/sorted_metaarray`.
enum MetaArrayEndpoints {
  private enum Mode: String, CaseIterable {
    case add
    case remove
  }

  /// `POST`: adds keys with their values; values of a key that is there come to those it has.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let arrays = try arrays(in: call.body)
    try change(call, completion) { known throws(ServiceError) in try known.adding(arrays) }
  }

  /// `PUT`: adds values to keys, or removes them; a key that is not there is made with `upsert`.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let arrays = try arrays(in: body)
    let mode = try body.choice("mode", of: Mode.self) ?? .add
    let makesKeys = try body.boolean("upsert") ?? false
    try change(call, completion) { known throws(ServiceError) in
      let unknown = arrays.first { array in !known.contains { $0.key == array.key } }
      if let unknown, !makesKeys { throw .unknownKey(unknown.key) }
      return mode == .add ? try known.adding(arrays) : known.removing(arrays)
    }
  }

  /// `DELETE …?keys=`: removes keys with all their values; those that are not there are passed
  /// over.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let keys = try call.query.texts("keys", limit: Limits.metaArrayKeyLength) ?? []
    guard !keys.isEmpty else { throw .missing("keys") }
    try change(call, completion) { known throws(ServiceError) in known.deleting(keys: keys) }
  }

  private static func arrays(in body: Fields) throws(ServiceError) -> [MetaArray] {
    let arrays = try body.metaArrays("sorted_metaarray") ?? []
    guard !arrays.isEmpty else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private static func change(
    _ call: PlatformCall, _ completion: Completion,
    _ change: @escaping @Sendable ([MetaArray]) throws(ServiceError) -> [MetaArray]
  ) throws(ServiceError) {
    let id = try call.messageID
    try call.inChannel(completion) { channel in
      channel.changeMetaArrayKeys(of: id, by: .platform(onBehalfOf: nil), change) { _, result in
        completion(result) { changed, writer in
          writer.object {
            $0.name("sorted_metaarray")
            changed.message.metaArrays.encode(into: &$0)
          }
        }
      }
    }
  }
}

extension ServiceError {
  fileprivate static func unknownKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound, "the message has no key '\(key)': set 'upsert' to have it made",
      field: "sorted_metaarray")
  }
}
